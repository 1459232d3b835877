import type { SqlDriver, SqlRow, Statement, StatementResult } from '@helix-agents/store-sql';
import { sqliteDialect, StoreBusyError } from '@helix-agents/store-sql';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { shareTransactions, type Batch, type Outcome } from './share-transactions.ts';

/**
 * `node:sqlite` as a driver. It is synchronous: a transaction runs from begin to commit without giving
 * anything else in this process a turn.
 */
export function createNodeDriver(
  database: DatabaseSync,
  busyTimeoutMs: number,
  synchronous: 'full' | 'as-is',
): SqlDriver {
  const prepare = createStatementCache(database);

  /** With full sync every commit waits for the disk; a relaxed one leaves that to the next. */
  const relaxing = <T>(work: () => T): T => {
    if (synchronous !== 'full') return work();
    database.exec('pragma synchronous = normal');
    try {
      return work();
    } finally {
      database.exec('pragma synchronous = full');
    }
  };

  const run = ({ sql, params }: Statement): StatementResult => {
    const { statement, returnsRows } = prepare(sql);
    const values = params.every(isBindable) ? params : params.map(bindable);
    if (returnsRows) return { changes: 0, rows: statement.all(...values) as SqlRow[] };
    return { changes: Number(statement.run(...values).changes), rows: [] };
  };

  /** Immediate, so that the busy timeout applies: a lock upgrade in mid-transaction is not retried. */
  const transaction = <T>(begin: 'begin' | 'begin immediate', work: () => T): T => {
    let begun = false;
    try {
      prepare(begin).statement.run();
      begun = true;
      const result = work();
      prepare('commit').statement.run();
      return result;
    } catch (error) {
      if (begun && database.isOpen && database.isTransaction) prepare('rollback').statement.run();
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
    const write = (): Outcome[] => transaction('begin immediate', runAll);
    try {
      return batches.every(({ relaxed }) => relaxed) ? relaxing(write) : write();
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
    async readBatch(statements) {
      return transaction('begin', () => statements.map((statement) => run(statement).rows));
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

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/** By the text: asking the statement for its columns costs as much as preparing it. */
const RETURNS_ROWS = /^\s*(select|with|pragma)\b|\breturning\b/i;

/** The stores use a bounded number of texts, so nothing is ever evicted. */
function createStatementCache(database: DatabaseSync): (sql: string) => Prepared {
  const cache = new Map<string, Prepared>();
  return (sql) => {
    const known = cache.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const prepared = { statement, returnsRows: RETURNS_ROWS.test(sql) };
    cache.set(sql, prepared);
    return prepared;
  };
}

function isBindable(value: unknown): boolean {
  return value !== undefined && typeof value !== 'boolean';
}

/** What callers of untyped code hand in: undefined and booleans are not bindable everywhere. */
function bindable(value: unknown): string | number | null {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value as string | number | null;
}
