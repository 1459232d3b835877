import type { OpenCallRow } from '@helix-agents/core';
import { callKeyText } from '@helix-agents/core/store';
import type { JournalRow, PlannedCall } from '@helix-agents/core/store';
import { journalKey, replayWrites, type Rows } from './replay.ts';
import { isSuspended, isTerminal, sessionsOf, toolMessages, type Rule } from './support.ts';
import type { History, DumpedSession, StoreDump, DumpedTree } from './types.ts';

/** A row is open at the root exactly while its owner's call waits for it. */
export const openRowsHaveWaitingOwners: Rule = {
  id: 'P1',
  check: (history) => [
    ...dumpsOf(history).flatMap((dump) => dump.trees.flatMap(orphanRows)),
    ...(history.facts.databases === 'one' ? atEveryWrite(history, waitingCallFaults) : []),
    ...dumpsOf(history).flatMap((dump) => dump.trees.flatMap(unheardCalls)),
  ],
};

function dumpsOf(history: History): StoreDump[] {
  return [history.rest, history.end];
}

function orphanRows({ sessions, calls }: DumpedTree): string[] {
  return calls.flatMap((row) => {
    if (row.state !== 'open') return [];
    const owner = sessions.find(({ session }) => session.sessionId === row.ownerSessionId);
    if (!owner)
      return [`${row.toolCallId} is open, its owner ${row.ownerSessionId} does not exist`];
    const waits =
      owner.session.stepId === row.ownerStepId &&
      plannedCalls(owner.journal).some((call) => call.callId === row.toolCallId) &&
      !hasResult(owner.journal, row.ownerIndex);
    return waits ? [] : [`${row.toolCallId} is open, but its owner does not wait for it`];
  });
}

/** Where a whole branch is suspended, each call that waits is known at the root. */
function unheardCalls({ sessions, calls }: DumpedTree): string[] {
  const byId = new Map(sessions.map((dump) => [dump.session.sessionId, dump.session]));
  return sessions.flatMap((dump) => {
    const route = routeOf(byId, dump);
    const sleeping = route.every((session) => isSuspended(session.status) && !session.error);
    if (!sleeping) return [];
    return humanCalls(dump.journal)
      .filter((call) => !hasResult(dump.journal, call.index))
      .filter(
        (call) => !calls.some((row) => row.toolCallId === call.callId && row.state !== 'settled'),
      )
      .map(
        (call) =>
          `${dump.session.sessionId} waits for ${call.callId}, of which the root knows nothing`,
      );
  });
}

function routeOf(
  byId: ReadonlyMap<string, DumpedSession['session']>,
  dump: DumpedSession,
): DumpedSession['session'][] {
  return dump.session.route.toReversed().flatMap((sessionId) => byId.get(sessionId) ?? []);
}

type RowsCheck = (rows: Rows) => readonly string[];

/** Runs a check after each write that changed something; reports the first fault of each kind. */
function atEveryWrite(history: History, check: RowsCheck): string[] {
  const found = new Map<string, string>();
  replayWrites(history, {
    after(write, rows) {
      if (write.kind === 'renew' || (write.kind === 'commit' && !write.applied)) return;
      for (const fault of check(rows))
        if (!found.has(fault)) found.set(fault, `at ${write.at}: ${fault}`);
    },
  });
  return [...found.values()];
}

function waitingCallFaults(rows: Rows): string[] {
  const faults: string[] = [];
  for (const row of rows.calls.values()) {
    if (row.state !== 'open') continue;
    const owner = rows.sessions.get(row.ownerSessionId);
    const key = { sessionId: row.ownerSessionId, stepId: row.ownerStepId, index: row.ownerIndex };
    const plan = rows.journal.get(journalKey({ ...key, index: -1, kind: 'plan' }));
    const result = rows.journal.has(journalKey({ ...key, kind: 'result' }));
    if (!owner || owner.stepId !== row.ownerStepId || !plan || result)
      faults.push(`${row.toolCallId} is open, but its owner does not wait for it`);
  }
  for (const row of rows.journal.values()) {
    if (row.kind !== 'plan') continue;
    for (const call of humanCalls([row])) {
      const key = { sessionId: row.sessionId, stepId: row.stepId, index: call.index };
      if (rows.journal.has(journalKey({ ...key, kind: 'result' }))) continue;
      const waits = [...rows.calls.values()].some(
        (other) => other.toolCallId === call.callId && other.state !== 'settled',
      );
      if (!waits) faults.push(`${row.sessionId} waits for ${call.callId}, which has no row`);
    }
  }
  return faults;
}

/** An open row has no result yet, a settled one exactly one. */
export const rowsAndResultsAgree: Rule = {
  id: 'P2',
  check: (history) =>
    dumpsOf(history).flatMap((dump) =>
      dump.trees.flatMap(({ sessions, calls }) =>
        calls.flatMap((row) => {
          const owner = sessions.find(({ session }) => session.sessionId === row.ownerSessionId);
          // Where sessions live apart it is settled above once it has been delivered below.
          const underWay = sessions.some(({ calls: copies }) =>
            copies.some(
              (copy) => callKeyText(copy) === callKeyText(row) && copy.state === 'answered',
            ),
          );
          const results = (owner && resultsOf(owner, row)) || (underWay ? 1 : 0);
          if (row.state === 'open' && results > 0)
            return [`${row.toolCallId} is open with a result`];
          if (row.state === 'settled' && results !== 1)
            return [`${row.toolCallId} is settled with ${results} results`];
          return [];
        }),
      ),
    ),
};

function resultsOf(owner: DumpedSession, row: OpenCallRow): number {
  const inJournal =
    owner.session.stepId === row.ownerStepId && hasResult(owner.journal, row.ownerIndex);
  return toolMessages(owner.messages, row.toolCallId).length + (inJournal ? 1 : 0);
}

/** Who is suspended waits for something; who has ended waits for nothing and holds nothing. */
export const statusAndWaitsAgree: Rule = {
  id: 'P3',
  check: (history) => [
    ...(history.facts.databases === 'one' ? atEveryWrite(history, statusFaults) : []),
    ...dumpsOf(history).flatMap((dump) => sessionsOf(dump).flatMap(dumpedStatusFaults)),
    ...history.end.trees.flatMap(leftovers),
  ],
};

function statusFaults(rows: Rows): string[] {
  const faults: string[] = [];
  const calls = [...rows.calls.values()];
  for (const session of rows.sessions.values()) {
    const through = calls.filter((row) => row.route.includes(session.sessionId));
    const { sessionId, status, error } = session;
    if (isSuspended(status) && !error && !through.some((row) => row.state !== 'settled'))
      faults.push(`${sessionId} is ${status} over nothing`);
    if (!isTerminal(status)) continue;
    if (through.some((row) => row.state === 'open'))
      faults.push(`${sessionId} is ${status} with an open call`);
    if (session.leaseUntil !== null) faults.push(`${sessionId} is ${status} with a lease`);
    const own = [...rows.journal.values()].filter((row) => row.sessionId === sessionId);
    if (own.some(isOfAnOpenStep)) faults.push(`${sessionId} is ${status} with a journal`);
  }
  return faults;
}

/** Which steps were withdrawn is kept after the end, for the process that announces it. */
function isOfAnOpenStep({ kind }: JournalRow): boolean {
  return kind !== 'withdrawn';
}

function dumpedStatusFaults({ session, calls, journal }: DumpedSession): string[] {
  const { sessionId, status, error, leaseUntil } = session;
  const faults: string[] = [];
  if (isSuspended(status) && !error && !calls.some((row) => row.state !== 'settled'))
    faults.push(`${sessionId} is ${status} over nothing`);
  if (!isTerminal(status)) return faults;
  if (calls.some((row) => row.state === 'open'))
    faults.push(`${sessionId} is ${status} with an open call`);
  if (leaseUntil !== null) faults.push(`${sessionId} is ${status} with a lease`);
  if (journal.some(isOfAnOpenStep)) faults.push(`${sessionId} is ${status} with a journal`);
  return faults;
}

function leftovers({ rootId, sessions, calls }: DumpedTree): string[] {
  const closing = sessions.flatMap(({ references }) =>
    references.filter((row) => row.state === 'closing'),
  );
  const ended = sessions.some(
    ({ session }) => session.sessionId === rootId && isTerminal(session.status),
  );
  const answered = ended ? calls.filter((row) => row.state === 'answered') : [];
  return [
    ...closing.map((row) => `the close of ${row.subSessionId} was never done`),
    ...answered.map((row) => `${row.toolCallId} was answered and never settled`),
  ];
}

function plannedCalls(journal: readonly JournalRow[]): readonly PlannedCall[] {
  return journal.flatMap((row) => (row.kind === 'plan' ? row.data.calls : []));
}

function humanCalls(journal: readonly JournalRow[]): PlannedCall[] {
  return plannedCalls(journal).filter(
    (call) => call.class === 'client' || call.class === 'approval',
  );
}

function hasResult(journal: readonly JournalRow[], index: number): boolean {
  return journal.some((row) => row.kind === 'result' && row.index === index);
}
