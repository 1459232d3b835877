import type {
  CheckpointRow,
  CommitGuard,
  CommitInserts,
  CommitRemovals,
  MessageRow,
  SessionGuard,
  SessionUpdate,
} from '@helix-agents/core/store';
import { userMessageId } from '@helix-agents/core/store';
import { encodeId } from '../keys.ts';
import { toJson } from '../rows/encode.ts';
import {
  callField,
  interruptField,
  journalField,
  say,
  type SessionMessages,
  type Words,
} from './plan-words.ts';

/**
 * Every updated session has a check: it must exist, and the script reads its counters in the check. A pending interrupt, which must be
 * absent, is a field of the same hash.
 */
export function checkSessions(
  out: Words,
  { sessions = [], interruptsAbsent = [] }: CommitGuard,
  updated: readonly SessionUpdate[],
): void {
  let unchecked = interruptsAbsent;
  for (const guard of sessions) {
    const [first] = unchecked;
    const isNext = first?.sessionId === guard.sessionId && !guard.absent;
    checkSession(out, guard, isNext ? interruptField(first.runId) : '');
    if (isNext) unchecked = unchecked.slice(1);
  }
  for (const { sessionId } of updated) {
    if (sessions.some((guard) => guard.sessionId === sessionId)) continue;
    checkSession(out, { sessionId }, '');
  }
  for (const { sessionId, closed } of sessions) {
    if (closed === false) say(out, sessionId, 'not-closed');
  }
  for (const { sessionId, runId } of unchecked) {
    say(out, sessionId, 'field', ':session:', interruptField(runId));
  }
}

function checkSession(out: Words, guard: SessionGuard, absentField: string): void {
  if (guard.absent) {
    say(out, guard.sessionId, 'absent');
    return;
  }
  const { version = '', epoch = '', stepId = '', records = '', status } = guard;
  // An empty list of statuses matches nothing, unlike no list.
  const statuses = status === undefined ? '' : `,${status.map(toJson).join(',')}`;
  const counters = [`${version}`, `${epoch}`, `${stepId}`, `${records}`];
  const lease = guard.leaseExpired ? '1' : '';
  say(out, guard.sessionId, 'session', ...counters, statuses, lease, absentField);
}

export function checkRows(out: Words, guard: CommitGuard): void {
  for (const key of guard.callsOpen ?? []) {
    out.args.push('call-begins', callField(key), '"open"\n');
  }
  for (const { key, state, outcome } of guard.calls ?? []) {
    out.args.push('call-begins', callField(key), `${toJson(state)}\n${toJson(outcome)}\n`);
  }
  for (const { sessionId, subSessionId, state } of guard.references ?? []) {
    say(out, sessionId, 'reference-begins', encodeId(subSessionId), `${toJson(state)}\n`);
  }
  for (const { sessionId, runId, scope } of guard.interruptsPresent ?? []) {
    const wanted = scope === undefined ? '' : toJson(scope);
    say(out, sessionId, 'interrupt-waits', interruptField(runId), wanted);
  }
  for (const row of guard.journalAbsent ?? []) {
    say(out, row.sessionId, 'field', ':journal:', journalField(row));
  }
}

/** Unique keys of rows that most steps insert. */
export function checkStepKeys(out: Words, insert: CommitInserts): void {
  for (const { sessionId } of insert.sessions ?? []) say(out, sessionId, 'absent');
  for (const row of insert.journal ?? []) {
    say(out, row.sessionId, 'field', ':journal:', journalField(row));
  }
  for (const { sessionId, id } of insert.usage ?? []) {
    say(out, sessionId, 'field', ':usage:', encodeId(id));
  }
}

/** Numbered rows continue the stored ones, or those that remain after a removal. */
export function checkNumbers(
  out: Words,
  messages: SessionMessages,
  checkpoints: readonly CheckpointRow[] = [],
  { messagesAfter = [], checkpointsAfter = [] }: CommitRemovals = {},
): void {
  for (const [sessionId, [first]] of messages) {
    const length = `${(first?.sequence ?? 1) - 1}`;
    const cut = messagesAfter.find((one) => one.sessionId === sessionId);
    if (cut) say(out, sessionId, 'cut-length', `${cut.sequence}`, length);
    else say(out, sessionId, 'length', length);
  }
  for (const [sessionId, rows] of messages) checkMessageIds(out, sessionId, rows, messagesAfter);
  for (const { sessionId, version } of checkpoints) {
    const cut = checkpointsAfter.find((one) => one.sessionId === sessionId);
    if (!cut || version <= cut.version) say(out, sessionId, 'score', `${version}`);
  }
}

/** The id of a message that the plan removes is free. */
function checkMessageIds(
  out: Words,
  sessionId: string,
  rows: readonly MessageRow[],
  messagesAfter: NonNullable<CommitRemovals['messagesAfter']>,
): void {
  const cut = messagesAfter.find((one) => one.sessionId === sessionId);
  for (const { message } of rows) {
    const id = userMessageId(message);
    if (id === undefined) continue;
    if (cut) say(out, sessionId, 'id-cut', encodeId(id), `${cut.sequence}`);
    else say(out, sessionId, 'field', ':message-ids:', encodeId(id));
  }
}

export function checkRowKeys(out: Words, insert: CommitInserts): void {
  for (const row of insert.calls ?? []) out.args.push('call-absent', callField(row));
  for (const { sessionId, subSessionId } of insert.references ?? []) {
    say(out, sessionId, 'field', ':references:', encodeId(subSessionId));
  }
  for (const { runId } of insert.runs ?? []) out.args.push('run-absent', encodeId(runId));
}
