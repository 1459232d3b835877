import {
  sqliteDialect,
  type SqlDriver,
  type SqlRow,
  type Statement,
  type StatementResult,
} from '@helix-agents/store-sql';
import { bindable } from './bind.ts';
import { decodeRows } from './decode-rows.ts';
import { execOf, type ObjectStorage } from './object-storage.ts';

const RETURNS_ROWS = /^\s*(select|with)\b|\breturning\b/i;
/** The object gives no code, only a text. */
const UNIQUE = /unique constraint failed|sqlite_constraint_(unique|primarykey|rowid)/i;
const CHANGES = 'select changes() as changes';

/** The SQLite of a Durable Object as a driver. It is synchronous: nothing else of the object runs between the statements of a batch. */
export function createObjectDriver({ sql, storage }: ObjectStorage): SqlDriver {
  const exec = execOf(sql);
  const run = (statement: Statement): StatementResult => {
    const rows = decodeRows(exec(statement.sql, bindable(statement)) as Record<string, unknown>[]);
    if (RETURNS_ROWS.test(statement.sql)) return { changes: 0, rows };
    const [counted] = exec(CHANGES, []) as { readonly changes: number }[];
    return { changes: counted?.changes ?? 0, rows };
  };
  return {
    dialect: sqliteDialect,
    canStop: true,
    async batch(statements, { stopAtMiss = false } = {}) {
      return storage.transactionSync(() => {
        const results: StatementResult[] = [];
        for (const statement of statements) {
          results.push(run(statement));
          if (stopAtMiss && results[0]?.changes === 0) break;
        }
        return results;
      });
    },
    async readBatch(reads) {
      const results: (readonly SqlRow[])[] = [];
      for (const read of reads) {
        results.push(read.isNeeded?.(results) === false ? [] : run(read).rows);
      }
      return results;
    },
    async all(statement) {
      return run(statement).rows;
    },
    isUniqueViolation: (error) => error instanceof Error && UNIQUE.test(error.message),
  };
}
