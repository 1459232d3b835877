import { StoreUnavailableError } from '@helix-agents/core';
import type { SqlDriver, SqlRow, Statement, StatementResult } from '@helix-agents/store-sql';
import { sqliteDialect, StoreBusyError } from '@helix-agents/store-sql';
import type { DatabaseSync } from 'node:sqlite';
import { createStatements } from './statements.ts';
import { shareTransactions, type Batch, type Outcome } from './share-transactions.ts';

/** A database, and how statements run on it. */
interface Connection {
  readonly database: DatabaseSync;
  readonly run: (statement: Statement) => StatementResult;
  readonly busyTimeoutMs: number;
  /** Each commit waits for the disk, unless all its batches are relaxed. */
  readonly hasFullSync: boolean;
}

/**
 * `node:sqlite` as a driver. It is synchronous: a transaction runs from begin to commit before anything else in this process gets a
 * turn.
 */
export function createNodeDriver(
  database: DatabaseSync,
  busyTimeoutMs: number,
  hasFullSync: boolean,
): SqlDriver {
  const run = createStatements(database);
  const connection = { database, run, busyTimeoutMs, hasFullSync };
  const write = shareTransactions((batches) => writeAll(connection, batches));
  return {
    dialect: sqliteDialect,
    canStop: true,
    batch: (statements, { relaxed = false, stopAtMiss = false, writer } = {}) =>
      write({ statements, relaxed, stopAtMiss }, writer),
    async readBatch(reads) {
      return inTransaction(connection, BEGIN_READ, () => {
        const results: (readonly SqlRow[])[] = [];
        for (const read of reads) {
          results.push(read.isNeeded?.(results) === false ? [] : run(read).rows);
        }
        return results;
      });
    },
    async all(statement) {
      try {
        return run(statement).rows;
      } catch (error) {
        throw asStoreError(connection, error);
      }
    },
    isUniqueViolation: (error) => UNIQUE.has(errorNumber(error)),
  };
}

/** One outcome for each batch, in order. */
function writeAll(connection: Connection, batches: readonly Batch[]): readonly Outcome[] {
  let isRefused = false;
  const runAll = (): Outcome[] => {
    try {
      return batches.map((batch) => ({ results: runBatch(connection, batch) }));
    } catch (error) {
      isRefused = true;
      throw error;
    }
  };
  const write = (): Outcome[] => inTransaction(connection, BEGIN_WRITE, runAll);
  try {
    const isRelaxed = connection.hasFullSync && batches.every(({ relaxed }) => relaxed);
    return isRelaxed ? withoutSync(connection.database, write) : write();
  } catch (error) {
    // Nothing was written. A statement that SQLite refuses fails its own batch, and no other.
    if (isRefused && batches.length > 1)
      return batches.flatMap((batch) => writeAll(connection, [batch]));
    return batches.map(() => ({ error }));
  }
}

function runBatch({ run }: Connection, { statements, stopAtMiss }: Batch): StatementResult[] {
  const results: StatementResult[] = [];
  for (const statement of statements) {
    results.push(run(statement));
    if (stopAtMiss && results[0]?.changes === 0) break;
  }
  return results;
}

/** `begin` takes the write lock at once where it is needed: the busy timeout does not apply to a lock that is upgraded later. */
function inTransaction<T>(connection: Connection, begin: Statement, work: () => T): T {
  const { database, run } = connection;
  let hasBegun = false;
  try {
    run(begin);
    hasBegun = true;
    const result = work();
    run(COMMIT);
    return result;
  } catch (error) {
    if (hasBegun && database.isOpen && database.isTransaction) run(ROLLBACK);
    throw asStoreError(connection, error);
  }
}

/** What may help when it is done again has a code that says so; everything else is a fault of the statement. */
function asStoreError({ busyTimeoutMs }: Connection, error: unknown): unknown {
  if (isBusy(error)) return new StoreBusyError(busyTimeoutMs, error);
  if (error instanceof Error && isUnavailable(error))
    return new StoreUnavailableError(error, 'The SQLite database');
  return error;
}

/** Commits without fsync; the next commit with full sync covers this one too, because the log is written in order. */
function withoutSync(database: DatabaseSync, write: () => Outcome[]): Outcome[] {
  database.exec('pragma synchronous = normal');
  try {
    return write();
  } finally {
    database.exec('pragma synchronous = full');
  }
}

const BEGIN_READ: Statement = { sql: 'begin', params: [] };
const BEGIN_WRITE: Statement = { sql: 'begin immediate', params: [] };
const COMMIT: Statement = { sql: 'commit', params: [] };
const ROLLBACK: Statement = { sql: 'rollback', params: [] };

/** SQLITE_BUSY and SQLITE_LOCKED, in the low byte of an extended code. */
export function isBusy(error: unknown): boolean {
  return [5, 6].includes(errorNumber(error) & 0xff);
}

/** SQLITE_READONLY, _IOERR, _FULL and _CANTOPEN: the disk is full, gone or not to be written. */
function isUnavailable(error: Error): boolean {
  return [8, 10, 13, 14].includes(errorNumber(error) & 0xff);
}

/** SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID. */
const UNIQUE: ReadonlySet<number> = new Set([1555, 2067, 2579]);

function errorNumber(error: unknown): number {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'errcode') : undefined;
  return typeof code === 'number' ? code : 0;
}
