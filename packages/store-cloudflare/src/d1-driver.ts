import {
  sqliteDialect,
  type SqlDriver,
  type SqlRow,
  type Statement,
  type StatementResult,
} from '@helix-agents/store-sql';
import { bindable } from './bind.ts';
import type { D1Like, D1ResultLike, D1StatementLike } from './d1-database.ts';
import { asStoreError, isPassing, isUnique, neverRan } from './d1-errors.ts';
import { decodeRows } from './decode-rows.ts';

/** How often a call is made in all, and the pause before the second; each further pause is twice as long. */
export interface D1Retries {
  readonly attempts: number;
  readonly pauseMs: number;
}

/**
 * A D1 database as a driver. A batch is one transaction on the primary, and runs to its end. Reads are repeated after any passing
 * error. A write is repeated only if it never ran: otherwise it may have been applied, which the caller finds out.
 */
export function createD1Driver(database: D1Like, retries: D1Retries): SqlDriver {
  const prepare = (statement: Statement): D1StatementLike =>
    database.prepare(statement.sql).bind(...bindable(statement));
  const call = async <T>(
    work: () => Promise<T>,
    isSafe: (error: unknown) => boolean,
  ): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (attempt >= retries.attempts || !isSafe(error)) throw asStoreError(error);
        await pause(retries.pauseMs * 2 ** (attempt - 1));
      }
    }
  };
  const send = (
    statements: readonly Statement[],
    isSafe: (error: unknown) => boolean,
  ): Promise<readonly D1ResultLike[]> =>
    // D1 refuses an empty batch.
    statements.length === 0
      ? Promise.resolve([])
      : call(() => database.batch(statements.map(prepare)), isSafe);
  return {
    dialect: sqliteDialect,
    canStop: false,
    batch: async (statements) => (await send(statements, neverRan)).map(resultOf),
    readBatch: async (reads) => (await send(reads, isPassing)).map(rowsOf),
    all: async (statement) =>
      rowsOf(await call(() => prepare(statement).all(), isRead(statement) ? isPassing : neverRan)),
    isUniqueViolation: isUnique,
  };
}

function isRead({ sql }: Statement): boolean {
  return /^\s*select\b/i.test(sql);
}

function resultOf(result: D1ResultLike): StatementResult {
  return { changes: Number(result.meta['changes'] ?? 0), rows: rowsOf(result) };
}

function rowsOf({ results }: D1ResultLike): readonly SqlRow[] {
  return decodeRows(results as Record<string, unknown>[]);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
