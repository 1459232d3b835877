import { HelixError, StoreUnavailableError } from '@helix-agents/core';
import type { SqlDriver, SqlRow, Statement, StatementResult } from '@helix-agents/store-sql';
import { sqliteDialect, StoreBusyError } from '@helix-agents/store-sql';
import type { DatabaseSync } from 'node:sqlite';
import { createStatements } from './statements.ts';
import { shareTransactions, type Batch, type Outcome } from './share-transactions.ts';
import { errorNumber, isBusy, whileBusy } from './while-busy.ts';

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
 * turn. It waits for a lock of another process between transactions, never within one. `configure` runs before each.
 */
export function createNodeDriver(
  database: DatabaseSync,
  busyTimeoutMs: number,
  hasFullSync: boolean,
  configure: () => void = () => {},
): SqlDriver {
  const run = createStatements(database);
  const connection = { database, run, busyTimeoutMs, hasFullSync };
  const inTime = <T>(work: () => T): T | Promise<T> =>
    whileBusy(busyTimeoutMs, () => {
      try {
        configure();
        return work();
      } catch (error) {
        throw asStoreError(database, error);
      }
    });
  const write = shareTransactions((batches) => inTime(() => writeAll(connection, batches)));
  return {
    dialect: sqliteDialect,
    canStop: true,
    batch: (statements, { relaxed = false, stopAtMiss = false, writer } = {}) =>
      write({ statements, relaxed, stopAtMiss }, writer),
    async readBatch(reads) {
      const readAll = (): (readonly SqlRow[])[] => {
        const results: (readonly SqlRow[])[] = [];
        for (const read of reads) {
          results.push(read.isNeeded?.(results) === false ? [] : run(read).rows);
        }
        return results;
      };
      return inTime(() => inTransaction(connection, BEGIN_READ, readAll));
    },
    async all(statement) {
      return inTime(() => run(statement).rows);
    },
    isUniqueViolation: (error) => UNIQUE.has(errorNumber(error)),
  };
}

/** One outcome for each batch, in order. Throws, and has written nothing, when another process holds the lock. */
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
    // Nothing was written.
    if (isBusy(error)) throw error;
    // A statement that SQLite refuses fails its own batch, and no other.
    if (isRefused && batches.length > 1)
      return batches.flatMap((batch) => writeAlone(connection, batch));
    return batches.map(() => ({ error: asStoreError(connection.database, error) }));
  }
}

/** One of several that are written one after the other: what was written before it stays, so it does not wait for a lock. */
function writeAlone(connection: Connection, batch: Batch): readonly Outcome[] {
  try {
    return writeAll(connection, [batch]);
  } catch (error) {
    return [{ error: new StoreBusyError(connection.busyTimeoutMs, error) }];
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
    throw error;
  }
}

function closedError(cause: unknown): HelixError {
  return new HelixError({
    code: 'store_closed',
    message:
      'The SQLite database was closed; what was stored is kept. Open it again, or close it last.',
    cause,
  });
}

/** What may help when it is done again has a code that says so; everything else, but a lock, is a fault of the statement. */
function asStoreError(database: DatabaseSync, error: unknown): unknown {
  if (!database.isOpen) return closedError(error);
  return error instanceof Error && isUnavailable(error)
    ? new StoreUnavailableError(error, 'The SQLite database')
    : error;
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

/** SQLITE_READONLY, _IOERR, _FULL and _CANTOPEN: the disk is full, gone or not to be written. */
function isUnavailable(error: Error): boolean {
  return [8, 10, 13, 14].includes(errorNumber(error) & 0xff);
}

/** SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID. */
const UNIQUE: ReadonlySet<number> = new Set([1555, 2067, 2579]);
