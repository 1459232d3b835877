import type { SqlDriver, SqlRow, Statement, StatementResult } from '@helix-agents/store-sql';
import { sqliteDialect, StoreBusyError } from '@helix-agents/store-sql';
import type { DatabaseSync } from 'node:sqlite';
import { createStatements } from './statements.ts';
import { shareTransactions, type Batch, type Outcome } from './share-transactions.ts';

/**
 * `node:sqlite` as a driver. It is synchronous: a transaction runs from begin to commit without giving
 * anything else in this process a turn.
 */
export function createNodeDriver(
  database: DatabaseSync,
  busyTimeoutMs: number,
  hasFullSync: boolean,
): SqlDriver {
  const run = createStatements(database);

  /** Immediate, so that the busy timeout applies: a lock upgrade in mid-transaction is not retried. */
  const transaction = <T>(begin: Statement, work: () => T): T => {
    let begun = false;
    try {
      run(begin);
      begun = true;
      const result = work();
      run(COMMIT);
      return result;
    } catch (error) {
      if (begun && database.isOpen && database.isTransaction) run(ROLLBACK);
      throw isBusy(error) ? new StoreBusyError(busyTimeoutMs, error) : error;
    }
  };

  const runBatch = ({ statements, stopAtMiss }: Batch): StatementResult[] => {
    const results: StatementResult[] = [];
    for (const statement of statements) {
      results.push(run(statement));
      if (stopAtMiss && results[0]?.changes === 0) break;
    }
    return results;
  };

  const writeAll = (batches: readonly Batch[]): readonly Outcome[] => {
    let refused = false;
    const runAll = (): Outcome[] => {
      try {
        return batches.map((batch) => ({ results: runBatch(batch) }));
      } catch (error) {
        refused = true;
        throw error;
      }
    };
    const write = (): Outcome[] => transaction(BEGIN_WRITE, runAll);
    try {
      const isRelaxed = hasFullSync && batches.every(({ relaxed }) => relaxed);
      return isRelaxed ? withoutSync(database, write) : write();
    } catch (error) {
      // None was written; what one of them did wrong is not the fault of the others.
      if (refused && batches.length > 1) return batches.flatMap((batch) => writeAll([batch]));
      return batches.map(() => ({ error }));
    }
  };
  const write = shareTransactions(writeAll);

  return {
    dialect: sqliteDialect,
    canStop: true,
    batch: (statements, { relaxed = false, stopAtMiss = false, writer } = {}) =>
      write({ statements, relaxed, stopAtMiss }, writer),
    async readBatch(reads) {
      return transaction(BEGIN_READ, () => {
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
        throw isBusy(error) ? new StoreBusyError(busyTimeoutMs, error) : error;
      }
    },
    isUniqueViolation: (error) => UNIQUE.has(errorNumber(error)),
  };
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

/** SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID. */
const UNIQUE: ReadonlySet<number> = new Set([1555, 2067, 2579]);

function errorNumber(error: unknown): number {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'errcode') : undefined;
  return typeof code === 'number' ? code : 0;
}
