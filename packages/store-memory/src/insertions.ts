import type { CommitInserts, JournalRow, RunRow, SessionRow } from '@helix-agents/core';
import type { MemoryDatabase, SessionTables } from './memory-database.ts';
import { addUsage, findCall, journalKey, putCall, tablesOf } from './memory-database.ts';

/** One row on its way in. */
export interface Insertion {
  /** Its unique key is there already. */
  isTaken(): boolean;
  write(): void;
}

export function insertionsOf(database: MemoryDatabase, insert: CommitInserts): Insertion[] {
  const find = (row: { sessionId: string }): SessionTables | undefined =>
    database.tables.get(row.sessionId);
  const tables = (row: { sessionId: string }): SessionTables => tablesOf(database, row.sessionId);
  return [
    ...each(
      insert.sessions,
      (row) => database.sessions.has(row.sessionId),
      (row) => addSession(database, row),
    ),
    ...each(
      insert.messages,
      (row) => find(row)?.messages.has(row.sequence),
      (row) => tables(row).messages.add(row),
    ),
    ...each(
      insert.journal,
      (row) => find(row)?.journal.get(row.stepId)?.has(journalKey(row)),
      (row) => addJournal(tables(row), row),
    ),
    ...each(
      insert.calls,
      (row) => findCall(database, row) !== undefined,
      (row) => putCall(database, row),
    ),
    ...each(
      insert.references,
      (row) => find(row)?.references.has(row.subSessionId),
      (row) => tables(row).references.set(row.subSessionId, row),
    ),
    ...each(
      insert.checkpoints,
      (row) => find(row)?.checkpoints.has(row.version),
      (row) => tables(row).checkpoints.add(row),
    ),
    ...each(
      insert.runs,
      (row) => database.runs.has(row.runId),
      (row) => addRun(database, row),
    ),
    ...each(
      insert.usage,
      (row) => database.usageIds.has(row.id),
      (row) => addUsage(database, row),
    ),
  ];
}

function each<T>(
  rows: readonly T[] | undefined,
  isTaken: (row: T) => boolean | undefined,
  write: (row: T) => unknown,
): Insertion[] {
  return (rows ?? []).map((row) => ({
    isTaken: () => isTaken(row) === true,
    write: () => void write(row),
  }));
}

function addSession(database: MemoryDatabase, row: SessionRow): void {
  database.sessions.set(row.sessionId, row);
  const tree = database.trees.get(row.rootId);
  if (tree) tree.add(row.sessionId);
  else database.trees.set(row.rootId, new Set([row.sessionId]));
}

function addJournal({ journal }: SessionTables, row: JournalRow): void {
  const step = journal.get(row.stepId) ?? new Map<string, JournalRow>();
  step.set(journalKey(row), row);
  journal.set(row.stepId, step);
}

function addRun(database: MemoryDatabase, row: RunRow): void {
  database.runs.set(row.runId, row);
  tablesOf(database, row.sessionId).runIds.add(row.runId);
}
