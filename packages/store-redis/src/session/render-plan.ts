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
  SessionUpdate,
} from '@helix-agents/core';
import { encodeId } from '../keys.ts';
import { CALL_LINES, REFERENCE_LINES, RUN_COLUMNS, SESSION_COLUMNS } from '../rows/columns.ts';
import { encodeChanges, encodeLines, toJson } from '../rows/encode.ts';

/**
 * Arguments of the commit script: the session that remembers the sending, checks, an empty word, writes. A word and then
 * as many arguments as it takes. Everything is pushed onto one list: this runs with every step.
 */
export function renderPlan(plan: CommitPlan): string[] {
  const { guard, sessions = [], insert, update, remove } = plan;
  // Every plan updates or inserts a session.
  const first = sessions[0] ?? insert?.sessions?.[0];
  const out = [encodeId(first?.sessionId ?? plan.rootId)];
  checkSessions(out, guard.sessions ?? [], sessions);
  checkRows(out, guard);
  if (insert) checkKeys(out, insert);
  out.push('');
  if (remove) writeRemovals(out, remove);
  if (insert) {
    writeSteps(out, insert);
    writeRows(out, insert);
  }
  if (update) writeUpdates(out, update);
  for (const session of sessions) writeSession(out, session);
  return out;
}

export function callField({ toolCallId, part }: Pick<CallKey, 'toolCallId' | 'part'>): string {
  return `${encodeId(toolCallId)}:${encodeId(part)}`;
}

function interruptField(runId: string): string {
  return `interrupt:${toJson(runId)}`;
}

type JournalKey = Pick<JournalRow, 'stepId' | 'index' | 'kind'>;

function journalField({ stepId, index, kind }: JournalKey): string {
  return `${stepId}:${index}:${kind}`;
}

/** Every session that is updated has a check: it must exist, and the script learns its counters from it. */
function checkSessions(
  out: string[],
  guards: readonly SessionGuard[],
  updated: readonly SessionUpdate[],
): void {
  for (const guard of guards) checkSession(out, guard);
  for (const { sessionId } of updated) {
    if (!guards.some((guard) => guard.sessionId === sessionId)) checkSession(out, { sessionId });
  }
}

function checkSession(out: string[], guard: SessionGuard): void {
  const id = encodeId(guard.sessionId);
  if (guard.absent) {
    out.push('absent', id);
    return;
  }
  const { version = '', epoch = '', stepId = '', records = '', status, leaseExpired } = guard;
  // A status list that is empty fits nothing, and is not the same as none.
  const statuses = status === undefined ? '' : `,${status.map(toJson).join(',')}`;
  out.push('session', id, `${version}`, `${epoch}`, `${stepId}`, `${records}`, statuses);
  out.push(leaseExpired ? '1' : '');
}

function checkRows(out: string[], guard: CommitGuard): void {
  for (const key of guard.callsOpen ?? []) out.push('call-begins', callField(key), '"open"\n');
  for (const { key, state, outcome } of guard.calls ?? []) {
    out.push('call-begins', callField(key), `${toJson(state)}\n${toJson(outcome)}\n`);
  }
  for (const { sessionId, subSessionId, state } of guard.references ?? []) {
    const place = [encodeId(sessionId), encodeId(subSessionId)];
    out.push('reference-begins', ...place, `${toJson(state)}\n`);
  }
  for (const row of guard.journalAbsent ?? []) {
    checkField(out, 'journal', row.sessionId, journalField(row));
  }
  for (const { sessionId, runId } of guard.interruptsAbsent ?? []) {
    checkField(out, 'session', sessionId, interruptField(runId));
  }
}

/** No key is taken. */
function checkKeys(out: string[], insert: CommitInserts): void {
  for (const { sessionId } of insert.sessions ?? []) out.push('absent', encodeId(sessionId));
  for (const [id, rows] of bySession(insert.messages ?? [])) {
    out.push('length', `:messages:${id}`, `${(rows[0]?.sequence ?? 1) - 1}`);
  }
  for (const row of insert.journal ?? []) {
    checkField(out, 'journal', row.sessionId, journalField(row));
  }
  for (const row of insert.calls ?? []) {
    const field = callField(row);
    out.push('field', ':calls', field, 'field', ':settled', field);
  }
  for (const row of insert.references ?? []) {
    checkField(out, 'references', row.sessionId, encodeId(row.subSessionId));
  }
  for (const { sessionId, version } of insert.checkpoints ?? []) {
    out.push('score', `:checkpoints:${encodeId(sessionId)}`, `${version}`);
  }
  for (const { runId } of insert.runs ?? []) out.push('free', `:run:${encodeId(runId)}`);
  for (const { sessionId, id } of insert.usage ?? []) {
    checkField(out, 'usage', sessionId, encodeId(id));
  }
}

function checkField(out: string[], kind: string, sessionId: string, field: string): void {
  out.push('field', `:${kind}:${encodeId(sessionId)}`, field);
}

function writeRemovals(out: string[], remove: CommitRemovals): void {
  for (const { sessionId, stepId } of remove.journal ?? []) {
    out.push('drop-step', encodeId(sessionId), `${stepId}:`);
  }
  for (const { sessionId, runId } of remove.interrupts ?? []) {
    out.push('drop-field', `:session:${encodeId(sessionId)}`, interruptField(runId));
  }
  for (const { sessionId, sequence } of remove.messagesAfter ?? []) {
    out.push('keep-messages', encodeId(sessionId), `${sequence}`);
  }
  for (const { sessionId, version } of remove.checkpointsAfter ?? []) {
    out.push('drop-checkpoints', encodeId(sessionId), `${version}`);
  }
}

/** What most steps insert. */
function writeSteps(out: string[], insert: CommitInserts): void {
  for (const row of insert.sessions ?? []) {
    out.push('new-session', encodeId(row.sessionId));
    pushColumns(out, SESSION_COLUMNS, row);
  }
  for (const [id, rows] of bySession(insert.messages ?? [])) {
    out.push('messages', id, `${rows.length}`);
    for (const row of rows) out.push(`${row.createdAt}`, toJson(row.message));
  }
  for (const { timestamp, ...body } of insert.checkpoints ?? []) {
    const id = encodeId(body.sessionId);
    out.push('checkpoint', id, `${body.version}`, `${timestamp}`, toJson(body));
  }
  for (const { timestamp, ...body } of insert.usage ?? []) {
    const place = [encodeId(body.sessionId), encodeId(body.id)];
    out.push('usage', ...place, `${timestamp}`, toJson(body));
  }
  for (const row of insert.journal ?? []) {
    const place = [`:journal:${encodeId(row.sessionId)}`, journalField(row)];
    out.push('stamped', ...place, `${row.createdAt}`, toJson(row.data));
  }
}

function writeRows(out: string[], insert: CommitInserts): void {
  for (const row of insert.calls ?? []) {
    out.push('new-call', callField(row), encodeLines(CALL_LINES, row));
  }
  for (const row of insert.references ?? []) {
    const place = [encodeId(row.sessionId), encodeId(row.subSessionId)];
    out.push('new-reference', ...place, encodeLines(REFERENCE_LINES, row));
  }
  for (const row of insert.runs ?? []) {
    out.push('new-run', encodeId(row.sessionId), encodeId(row.runId), `${row.turn}`);
    pushColumns(out, RUN_COLUMNS, row);
  }
}

function writeUpdates(out: string[], update: CommitUpdates): void {
  for (const { key, set, onlyIf } of update.calls ?? []) {
    const changes = encodeChanges(CALL_LINES, set);
    out.push('call', callField(key), onlyIf === undefined ? '' : toJson(onlyIf));
    out.push(`${changes.length / 2}`, ...changes);
  }
  for (const { sessionId, subSessionId, set } of update.references ?? []) {
    const changes = encodeChanges(REFERENCE_LINES, set);
    out.push('reference', encodeId(sessionId), encodeId(subSessionId));
    out.push(`${changes.length / 2}`, ...changes);
  }
  for (const { runId, set } of update.runs ?? []) {
    out.push('run', encodeId(runId));
    pushColumns(out, RUN_COLUMNS, set);
    pushNulls(out, RUN_COLUMNS, set);
  }
}

/** What the indexes over running and answered roots depend on. */
const MOVES = ['status', 'leaseUntil', 'started', 'hostKind', 'error'] as const;

function writeSession(out: string[], { sessionId, set = {}, raise }: SessionUpdate): void {
  const moves = MOVES.some((column) => set[column] !== undefined);
  out.push('session', encodeId(sessionId));
  out.push(raise?.version ? '1' : '', raise?.records ? '1' : '', moves ? '1' : '');
  pushColumns(out, SESSION_COLUMNS, set);
  pushNulls(out, SESSION_COLUMNS, set);
}

/** Columns to set, behind their number. */
function pushColumns<Row>(
  out: string[],
  columns: readonly (keyof Row & string)[],
  row: NoInfer<Partial<Row>>,
): void {
  const place = out.push('');
  for (const column of columns) {
    const value = row[column];
    if (value !== undefined && value !== null) out.push(column, toJson(value));
  }
  out[place - 1] = `${(out.length - place) / 2}`;
}

/** Columns that become null, behind their number. */
function pushNulls<Row>(
  out: string[],
  columns: readonly (keyof Row & string)[],
  row: NoInfer<Partial<Row>>,
): void {
  const place = out.push('');
  for (const column of columns) if (row[column] === null) out.push(column);
  out[place - 1] = `${out.length - place}`;
}

/** By session, in order of their numbers: they are appended to a list. */
function bySession(
  rows: readonly MessageRow[],
): Iterable<readonly [string, readonly MessageRow[]]> {
  const [first] = rows;
  if (!first) return [];
  const groups = rows.every((row) => row.sessionId === first.sessionId)
    ? new Map([[first.sessionId, rows]])
    : Map.groupBy(rows, (row) => row.sessionId);
  return [...groups].map(([id, group]) => [
    encodeId(id),
    group.toSorted((a, b) => a.sequence - b.sequence),
  ]);
}
