import type { OpenCallRow, RunRow, SessionRow } from '@helix-agents/core';
import type {
  CallKey,
  CommitInserts,
  CommitPlan,
  CommitRemovals,
  CommitUpdates,
  JournalRow,
  MessageRow,
  ChildReferenceRow,
} from '@helix-agents/core/store';
import type { History, StoreWrite } from './types.ts';

/** The rows of all databases, as the log of writes says they are. An independent reading of what a store must do. */
export interface Rows {
  readonly sessions: Map<string, SessionRow>;
  readonly messages: Map<string, MessageRow[]>;
  readonly journal: Map<string, JournalRow>;
  readonly calls: Map<string, OpenCallRow>;
  readonly references: Map<string, ChildReferenceRow>;
  readonly runs: Map<string, RunRow>;
  /** Keys of interrupts that wait. */
  readonly interrupts: Set<string>;
}

/** Called around every write that reached a database: before it with the rows it met, after it with what it made. */
export interface ReplayVisitor {
  before?(write: StoreWrite, rows: Rows): void;
  after?(write: StoreWrite, rows: Rows): void;
}

export function callKey(database: string, key: CallKey): string {
  return JSON.stringify([database, key.rootId, key.toolCallId, key.part]);
}

export function journalKey(
  row: Pick<JournalRow, 'sessionId' | 'stepId' | 'index' | 'kind'>,
): string {
  return JSON.stringify([row.sessionId, row.stepId, row.index, row.kind]);
}

export function referenceKey(row: { sessionId: string; subSessionId: string }): string {
  return JSON.stringify([row.sessionId, row.subSessionId]);
}

export function interruptKey(row: { sessionId: string; runId: string }): string {
  return JSON.stringify([row.sessionId, row.runId]);
}

export function replayWrites(history: History, visitor: ReplayVisitor = {}): Rows {
  const rows: Rows = {
    sessions: new Map(),
    messages: new Map(),
    journal: new Map(),
    calls: new Map(),
    references: new Map(),
    runs: new Map(),
    interrupts: new Set(),
  };
  for (const write of history.writes) {
    visitor.before?.(write, rows);
    applyWrite(rows, write);
    visitor.after?.(write, rows);
  }
  return rows;
}

function applyWrite(rows: Rows, write: StoreWrite): void {
  switch (write.kind) {
    case 'commit':
      if (write.applied) applyPlan(rows, write.database, write.plan);
      return;
    case 'answer':
      if (write.row) rows.calls.set(callKey(write.database, write.row), write.row);
      return;
    case 'expire':
      for (const row of write.rows) rows.calls.set(callKey(write.database, row), row);
      return;
    case 'purge':
      return purge(rows, write);
    case 'interrupt':
      if (write.row) rows.interrupts.add(interruptKey(write.row));
      return;
    case 'renew':
      return renew(rows, write);
  }
}

function purge(rows: Rows, write: Extract<StoreWrite, { kind: 'purge' }>): void {
  for (const [key, row] of rows.calls) {
    const gone = row.state === 'settled' && row.purgeAt !== null && row.purgeAt <= write.now;
    if (gone && row.rootId === write.rootId && key === callKey(write.database, row))
      rows.calls.delete(key);
  }
}

function renew(rows: Rows, { input, owned }: Extract<StoreWrite, { kind: 'renew' }>): void {
  const { sessionId, extendMs, owner, now } = input;
  const session = rows.sessions.get(sessionId);
  // A lease that was given back stays given back.
  if (!owned || extendMs === null || !session || session.leaseUntil === null) return;
  rows.sessions.set(sessionId, { ...session, leaseOwner: owner, leaseUntil: now + extendMs });
}

function applyPlan(rows: Rows, database: string, plan: CommitPlan): void {
  for (const { sessionId, set, raise } of plan.sessions ?? []) {
    change(rows.sessions, sessionId, (row) => ({
      ...set,
      version: row.version + (raise?.version ? 1 : 0),
      records: row.records + (raise?.records ? 1 : 0),
    }));
  }
  insertRows(rows, database, plan.insert ?? {});
  updateRows(rows, database, plan.update ?? {});
  removeRows(rows, plan.remove ?? {});
}

function insertRows(rows: Rows, database: string, insert: CommitInserts): void {
  for (const row of insert.sessions ?? []) rows.sessions.set(row.sessionId, row);
  for (const row of insert.messages ?? []) {
    rows.messages.set(row.sessionId, [...(rows.messages.get(row.sessionId) ?? []), row]);
  }
  for (const row of insert.journal ?? []) rows.journal.set(journalKey(row), row);
  for (const row of insert.calls ?? []) rows.calls.set(callKey(database, row), row);
  for (const row of insert.references ?? []) rows.references.set(referenceKey(row), row);
  for (const row of insert.runs ?? []) rows.runs.set(row.runId, row);
}

function updateRows(rows: Rows, database: string, update: CommitUpdates): void {
  for (const { key, set, onlyIf } of update.calls ?? []) {
    change(rows.calls, callKey(database, key), (row) =>
      onlyIf === undefined || row.state === onlyIf ? set : {},
    );
  }
  for (const { set, ...key } of update.references ?? [])
    change(rows.references, referenceKey(key), () => set);
  for (const { runId, set } of update.runs ?? []) change(rows.runs, runId, () => set);
}

function removeRows(rows: Rows, remove: CommitRemovals): void {
  for (const { sessionId, stepId } of remove.journal ?? []) {
    for (const [key, row] of rows.journal) {
      if (row.sessionId === sessionId && row.stepId === stepId) rows.journal.delete(key);
    }
  }
  for (const key of remove.interrupts ?? []) rows.interrupts.delete(interruptKey(key));
  for (const { sessionId, sequence } of remove.messagesAfter ?? []) {
    const kept = (rows.messages.get(sessionId) ?? []).filter((row) => row.sequence <= sequence);
    rows.messages.set(sessionId, kept);
  }
}

function change<Row>(
  table: Map<string, Row>,
  key: string,
  changes: (row: Row) => Partial<Row>,
): void {
  const row = table.get(key);
  if (row) table.set(key, { ...row, ...changes(row) });
}
