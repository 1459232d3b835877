import type { RunRow, SessionRow } from '@helix-agents/core';
import type {
  CommitInserts,
  CommitRemovals,
  JournalRow,
  MessageRow,
} from '@helix-agents/core/store';
import { frozenCopy, userMessageId } from '@helix-agents/core/store';
import type { MemoryDatabase, SessionTables } from './memory-database.ts';
import { addUsage, findCall, journalKey, putCall, tablesOf } from './memory-database.ts';

/** How rows of one kind are inserted. */
interface Kind<Row> {
  /** Its unique key is taken, and not by a row that the plan removes. */
  readonly isTaken: (database: MemoryDatabase, row: Row, remove: CommitRemovals) => boolean;
  readonly write: (database: MemoryDatabase, row: Row) => void;
}

type RowOf<Name extends keyof CommitInserts> = NonNullable<CommitInserts[Name]>[number];

const KINDS: { readonly [Name in keyof Required<CommitInserts>]: Kind<RowOf<Name>> } = {
  sessions: {
    isTaken: (database, row) => database.sessions.has(row.sessionId),
    write: addSession,
  },
  messages: {
    isTaken: isMessageTaken,
    write: addMessage,
  },
  journal: {
    isTaken: (database, row) =>
      find(database, row)?.journal.get(row.stepId)?.has(journalKey(row)) ?? false,
    write: (database, row) => addJournal(tablesOf(database, row.sessionId), row),
  },
  calls: {
    isTaken: (database, row) => findCall(database, row) !== undefined,
    write: putCall,
  },
  references: {
    isTaken: (database, row) => find(database, row)?.references.has(row.subSessionId) ?? false,
    write: (database, row) =>
      void tablesOf(database, row.sessionId).references.set(row.subSessionId, row),
  },
  checkpoints: {
    isTaken: (database, row, { checkpointsAfter = [] }) =>
      (find(database, row)?.checkpoints.has(row.version) ?? false) &&
      !checkpointsAfter.some((cut) => cut.sessionId === row.sessionId && cut.version < row.version),
    write: (database, row) => tablesOf(database, row.sessionId).checkpoints.add(row),
  },
  runs: {
    isTaken: (database, row) => database.runs.has(row.runId),
    write: addRun,
  },
  usage: {
    isTaken: (database, row) => find(database, row)?.usage.has(row.id) ?? false,
    write: addUsage,
  },
};

const NAMES = Object.keys(KINDS) as readonly (keyof CommitInserts)[];

/** Frozen copies of the rows, to be stored. */
export function copyRows(insert: CommitInserts): CommitInserts {
  const copies: Partial<Record<keyof CommitInserts, readonly unknown[]>> = {};
  for (const name of NAMES) {
    const rows = insert[name];
    if (rows?.length) copies[name] = rows.map((row) => frozenCopy(row));
  }
  return copies as CommitInserts;
}

/** No row has a key that is taken by a row that stays. */
export function keysAreFree(
  database: MemoryDatabase,
  insert: CommitInserts,
  remove: CommitRemovals = {},
): boolean {
  for (const name in insert) {
    const { isTaken } = KINDS[name as keyof CommitInserts] as Kind<unknown>;
    for (const row of insert[name as keyof CommitInserts] ?? []) {
      if (isTaken(database, row, remove)) return false;
    }
  }
  return true;
}

export function writeRows(database: MemoryDatabase, insert: CommitInserts): void {
  for (const name in insert) {
    const { write } = KINDS[name as keyof CommitInserts] as Kind<unknown>;
    for (const row of insert[name as keyof CommitInserts] ?? []) write(database, row);
  }
}

/** Its number is taken, or its id is. */
function isMessageTaken(
  database: MemoryDatabase,
  row: MessageRow,
  { messagesAfter = [] }: CommitRemovals,
): boolean {
  const tables = find(database, row);
  if (!tables) return false;
  const stays = (sequence: number): boolean =>
    !messagesAfter.some((cut) => cut.sessionId === row.sessionId && cut.sequence < sequence);
  const id = userMessageId(row.message);
  const known = id === undefined ? undefined : tables.messageIds.get(id);
  if (known !== undefined && stays(known)) return true;
  return tables.messages.has(row.sequence) && stays(row.sequence);
}

function addMessage(database: MemoryDatabase, row: MessageRow): void {
  const { messages, messageIds } = tablesOf(database, row.sessionId);
  const id = userMessageId(row.message);
  messages.add(row);
  if (id !== undefined) messageIds.set(id, row.sequence);
}

function find(database: MemoryDatabase, row: { sessionId: string }): SessionTables | undefined {
  return database.tables.get(row.sessionId);
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
