import type {
  CallKey,
  CommitGuard,
  CommitInserts,
  CommitPlan,
  CommitRemovals,
  CommitUpdates,
  JournalRow,
  MessageRow,
  SessionGuard,
  SessionRow,
  SessionUpdate,
} from '@helix-agents/core';
import { encodeId } from '../keys.ts';
import { CALL_LINES, REFERENCE_LINES, RUN_LINES, SESSION_COLUMNS } from '../rows/columns.ts';
import { encodeChanges, encodeLines, toJson } from '../rows/encode.ts';

/** Arguments of the commit script: checks, an empty word, writes. A word and then as many arguments as it takes. */
export function renderPlan(plan: CommitPlan): string[] {
  const { guard, sessions = [], insert = {}, update = {}, remove = {} } = plan;
  return [
    ...sessionChecks(guard.sessions ?? [], sessions),
    ...rowChecks(guard),
    ...keyChecks(insert),
    '',
    ...removals(remove),
    ...insertions(insert),
    ...updates(update),
    ...sessions.flatMap(sessionWrite),
  ];
}

export function callField({ toolCallId, part }: Pick<CallKey, 'toolCallId' | 'part'>): string {
  return `${encodeId(toolCallId)}:${encodeId(part)}`;
}

export function interruptField(runId: string): string {
  return `interrupt:${toJson(runId)}`;
}

type JournalKey = Pick<JournalRow, 'stepId' | 'index' | 'kind'>;

function journalField({ stepId, index, kind }: JournalKey): string {
  return `${stepId}:${index}:${kind}`;
}

/** Every session that is updated has a check: it must exist, and the script learns its counters from it. */
function sessionChecks(
  guards: readonly SessionGuard[],
  updated: readonly SessionUpdate[],
): string[] {
  const guarded = new Set(guards.map((guard) => guard.sessionId));
  const others = updated.filter(({ sessionId }) => !guarded.has(sessionId));
  return [...guards, ...others.map(({ sessionId }) => ({ sessionId }))].flatMap(sessionCheck);
}

function sessionCheck(guard: SessionGuard): string[] {
  const id = encodeId(guard.sessionId);
  if (guard.absent) return ['absent', id];
  const { version, epoch, stepId, records, status, leaseExpired } = guard;
  const numbers = [version, epoch, stepId, records].map((number) => `${number ?? ''}`);
  // A status list that is empty fits nothing, and is not the same as none.
  const statuses = status === undefined ? '' : `,${status.map(toJson).join(',')}`;
  return ['session', id, ...numbers, statuses, leaseExpired ? '1' : ''];
}

function rowChecks(guard: CommitGuard): string[] {
  const { callsOpen = [], calls = [], references = [] } = guard;
  const { journalAbsent = [], interruptsAbsent = [] } = guard;
  return [
    ...callsOpen.flatMap((key) => ['call-begins', callField(key), '"open"\n']),
    ...calls.flatMap(({ key, state, outcome }) => [
      'call-begins',
      callField(key),
      `${toJson(state)}\n${toJson(outcome)}\n`,
    ]),
    ...references.flatMap(({ sessionId, subSessionId, state }) => [
      'reference-begins',
      encodeId(sessionId),
      encodeId(subSessionId),
      `${toJson(state)}\n`,
    ]),
    ...journalAbsent.flatMap(freeJournalKey),
    ...interruptsAbsent.flatMap(({ sessionId, runId }) =>
      freeField('session', sessionId, interruptField(runId)),
    ),
  ];
}

/** No key is taken. */
function keyChecks(insert: CommitInserts): string[] {
  const { sessions = [], messages = [], journal = [], calls = [], references = [] } = insert;
  const { checkpoints = [], runs = [], usage = [] } = insert;
  return [
    ...sessions.flatMap(({ sessionId }) => ['absent', encodeId(sessionId)]),
    ...bySession(messages).flatMap(([id, rows]) => [
      'length',
      `:messages:${id}`,
      `${(rows[0]?.sequence ?? 1) - 1}`,
    ]),
    ...journal.flatMap(freeJournalKey),
    ...calls.flatMap((row) => {
      const field = callField(row);
      return ['field', ':calls', field, 'field', ':settled', field];
    }),
    ...references.flatMap((row) =>
      freeField('references', row.sessionId, encodeId(row.subSessionId)),
    ),
    ...checkpoints.flatMap(({ sessionId, version }) => [
      'score',
      `:checkpoints:${encodeId(sessionId)}`,
      `${version}`,
    ]),
    ...runs.flatMap(({ runId }) => ['field', ':runs', encodeId(runId)]),
    ...usage.flatMap(({ sessionId, id }) => freeField('usage', sessionId, encodeId(id))),
  ];
}

function freeJournalKey(row: JournalKey & { readonly sessionId: string }): string[] {
  return freeField('journal', row.sessionId, journalField(row));
}

function freeField(kind: string, sessionId: string, field: string): string[] {
  return ['field', `:${kind}:${encodeId(sessionId)}`, field];
}

function removals(remove: CommitRemovals): string[] {
  const { journal = [], interrupts = [], messagesAfter = [], checkpointsAfter = [] } = remove;
  return [
    ...journal.flatMap(({ sessionId, stepId }) => ['drop-step', encodeId(sessionId), `${stepId}:`]),
    ...interrupts.flatMap(({ sessionId, runId }) => [
      'drop-field',
      `:session:${encodeId(sessionId)}`,
      interruptField(runId),
    ]),
    ...messagesAfter.flatMap(({ sessionId, sequence }) => [
      'keep-messages',
      encodeId(sessionId),
      `${sequence}`,
    ]),
    ...checkpointsAfter.flatMap(({ sessionId, version }) => [
      'drop-checkpoints',
      encodeId(sessionId),
      `${version}`,
    ]),
  ];
}

function insertions(insert: CommitInserts): string[] {
  const { sessions = [], messages = [], journal = [], calls = [], references = [] } = insert;
  const { checkpoints = [], runs = [], usage = [] } = insert;
  return [
    ...sessions.flatMap((row) => ['new-session', encodeId(row.sessionId), ...columnsOf(row).set]),
    ...bySession(messages).flatMap(([id, rows]) => [
      'messages',
      id,
      `${rows.length}`,
      ...rows.flatMap((row) => [`${row.createdAt}`, toJson(row.message)]),
    ]),
    ...journal.flatMap((row) => [
      'stamped',
      `:journal:${encodeId(row.sessionId)}`,
      journalField(row),
      `${row.createdAt}`,
      toJson(row.data),
    ]),
    ...calls.flatMap((row) => ['new-call', callField(row), encodeLines(CALL_LINES, row)]),
    ...references.flatMap((row) => [
      'new-reference',
      encodeId(row.sessionId),
      encodeId(row.subSessionId),
      encodeLines(REFERENCE_LINES, row),
    ]),
    ...checkpoints.flatMap(({ timestamp, ...body }) => [
      'checkpoint',
      encodeId(body.sessionId),
      `${body.version}`,
      `${timestamp}`,
      toJson(body),
    ]),
    ...runs.flatMap((row) => [
      'new-run',
      encodeId(row.sessionId),
      encodeId(row.runId),
      `${row.turn}`,
      encodeLines(RUN_LINES, row),
    ]),
    ...usage.flatMap(({ timestamp, ...body }) => [
      'usage',
      encodeId(body.sessionId),
      encodeId(body.id),
      `${timestamp}`,
      toJson(body),
    ]),
  ];
}

function updates(update: CommitUpdates): string[] {
  const { calls = [], references = [], runs = [] } = update;
  return [
    ...calls.flatMap(({ key, set, onlyIf }) => [
      'call',
      callField(key),
      onlyIf === undefined ? '' : toJson(onlyIf),
      ...counted(encodeChanges(CALL_LINES, set), 2),
    ]),
    ...references.flatMap(({ sessionId, subSessionId, set }) => [
      'reference',
      encodeId(sessionId),
      encodeId(subSessionId),
      ...counted(encodeChanges(REFERENCE_LINES, set), 2),
    ]),
    ...runs.flatMap(({ runId, set }) => [
      'run',
      encodeId(runId),
      ...counted(encodeChanges(RUN_LINES, set), 2),
    ]),
  ];
}

/** What the indexes over running and answered roots depend on. */
const MOVES = ['status', 'leaseUntil', 'started', 'hostKind', 'error'] as const;

function sessionWrite({ sessionId, set = {}, raise = {} }: SessionUpdate): string[] {
  const { set: columns, gone } = columnsOf(set);
  const moves = MOVES.some((column) => set[column] !== undefined);
  const flags = [raise.version, raise.records, moves].map((wanted) => (wanted ? '1' : ''));
  return ['session', encodeId(sessionId), ...flags, ...columns, ...gone];
}

/** Columns to set, and columns that become null, each list behind its length. */
function columnsOf(row: Partial<SessionRow>): { readonly set: string[]; readonly gone: string[] } {
  const set: string[] = [];
  const gone: string[] = [];
  for (const column of SESSION_COLUMNS) {
    const value = row[column];
    if (value === undefined) continue;
    if (value === null) gone.push(column);
    else set.push(column, toJson(value));
  }
  return { set: counted(set, 2), gone: counted(gone, 1) };
}

function counted(parts: readonly string[], size: number): string[] {
  return [`${parts.length / size}`, ...parts];
}

/** By session, in order of their numbers: they are appended to a list. */
function bySession(rows: readonly MessageRow[]): [string, MessageRow[]][] {
  const groups = Map.groupBy(rows, (row) => encodeId(row.sessionId));
  return [...groups].map(([id, group]) => [id, group.toSorted((a, b) => a.sequence - b.sequence)]);
}
