import type { SqlDriver, SqlRow, Statement, StatementResult } from '@helix-agents/store-sql';
import { sqliteDialect, StoreBusyError } from '@helix-agents/store-sql';
import type { DatabaseSync } from 'node:sqlite';
import type { WalSync } from './wal-sync.ts';
import { createStatements, type Statements } from './statements.ts';
import { shareTransactions, type Batch, type Outcome } from './share-transactions.ts';

export type NodeDriver = SqlDriver & Pick<Statements, 'prepare'>;

/**
 * `node:sqlite` as a driver. It is synchronous: a transaction runs from begin to commit without giving
 * anything else in this process a turn.
 */
export function createNodeDriver(
  database: DatabaseSync,
  busyTimeoutMs: number,
  walSync: WalSync | null,
): NodeDriver {
  const { run, prepare } = createStatements(database);
  const syncing = walSync ? syncingWith(database, walSync) : asItIs;

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
      return syncing(
        batches.every(({ relaxed }) => relaxed),
        write,
      );
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
    prepare: (texts) => prepare([...TRANSACTION_TEXTS, ...texts]),
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

type Syncing = (isRelaxed: boolean, write: () => Outcome[]) => Outcome[];

/** With full sync every commit waits for the disk; a relaxed one leaves that to the next. */
function syncingWith(database: DatabaseSync, walSync: WalSync): Syncing {
  const relaxing = (write: () => Outcome[]): Outcome[] => {
    database.exec('pragma synchronous = normal');
    try {
      return write();
    } finally {
      database.exec('pragma synchronous = full');
    }
  };
  return (isRelaxed, write) => {
    const outcomes = isRelaxed ? relaxing(write) : write();
    if (isRelaxed) walSync.left();
    // One that found nothing to change has written nothing, and waited for nothing.
    else if (outcomes.some(hasChanged)) walSync.waited();
    return outcomes;
  };
}

const asItIs: Syncing = (_, write) => write();

function hasChanged(outcome: Outcome): boolean {
  return 'results' in outcome && outcome.results.some(({ changes }) => changes > 0);
}

const BEGIN_READ: Statement = { sql: 'begin', params: [] };
const BEGIN_WRITE: Statement = { sql: 'begin immediate', params: [] };
const COMMIT: Statement = { sql: 'commit', params: [] };
const ROLLBACK: Statement = { sql: 'rollback', params: [] };
const TRANSACTION_TEXTS = [BEGIN_READ, BEGIN_WRITE, COMMIT].map(({ sql }) => sql);

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
