import {
  postgresDialect,
  type SqlDriver,
  type SqlParam,
  type SqlRow,
  type Statement,
} from '@helix-agents/store-sql';
import { arrayLiteral } from './array-literal.ts';
import type { ListParam } from './commit/params.ts';
import { asStoreError, codeOf, isConflict } from './errors.ts';
import type { Send } from './named-statements.ts';
import type { PgResult } from './pg-client.ts';
import { decodeText, encodeText } from './text-codec.ts';

export type PgDriver = SqlDriver<ListParam>;
type PgStatement = Statement<ListParam>;

/** Every call is one statement in one message, so that any pooler can carry it. */
export function createPgDriver(send: Send): PgDriver {
  const run = async ({ sql, params }: PgStatement): Promise<PgResult> => {
    const text = numbered(sql);
    const values = params.map(encodeParam);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send(text, values);
      } catch (error) {
        if (attempt >= ATTEMPTS || !isConflict(error)) throw asStoreError(error);
      }
    }
  };

  return {
    dialect: postgresDialect,
    canStop: false,
    async batch(statements) {
      const [statement, ...others] = statements;
      if (statement === undefined) return [];
      if (others.length > 0) throw new TypeError('a write to Postgres is one statement');
      const { rows, rowCount } = await run(statement);
      return [{ changes: rowCount ?? 0, rows: rows.map(decodeRow) }];
    },
    async readBatch(statements) {
      const { rows } = await run(inOneRow(statements));
      const [row] = rows as Record<string, string>[];
      return statements.map((_, index) =>
        (JSON.parse(row?.[`r${index}`] ?? '[]') as unknown[]).map(decodeRow),
      );
    },
    async all(statement) {
      return (await run(statement)).rows.map(decodeRow);
    },
    isUniqueViolation: (error) => codeOf(error) === '23505',
  };
}

const ATTEMPTS = 5;

/** Runs a write. Null when a unique key was taken. */
export async function runUnlessKeyTaken(
  driver: PgDriver,
  statement: PgStatement,
): Promise<readonly SqlRow[] | null> {
  try {
    return (await driver.batch([statement]))[0]?.rows ?? [];
  } catch (error) {
    if (driver.isUniqueViolation(error)) return null;
    throw error;
  }
}

/** Texts with `$1` for `?1`, by their original. */
const numberedTexts = new Map<string, string>();

function numbered(sql: string): string {
  const known = numberedTexts.get(sql);
  if (known !== undefined) return known;
  let next = 0;
  const text = sql.replace(/\?(\d*)/g, (_, number: string) => `$${number || (next += 1)}`);
  numberedTexts.set(sql, text);
  return text;
}

/** Several reads on one snapshot: each becomes one column of one row, as JSON. */
function inOneRow(statements: readonly PgStatement[]): PgStatement {
  const params: ListParam[] = [];
  const columns = statements.map(({ sql, params: own }, index) => {
    const first = params.length;
    params.push(...own);
    const text = sql.replace(/\?(\d+)/g, (_, number: string) => `?${first + Number(number)}`);
    return `(select coalesce(json_agg(q), '[]'::json)::text from (${text}) as q) as r${index}`;
  });
  return { sql: `select ${columns.join(',\n')}`, params };
}

function encodeParam(param: ListParam): unknown {
  if (typeof param === 'string') return encodeText(param);
  return Array.isArray(param) ? arrayLiteral(param as readonly SqlParam[]) : param;
}

function decodeRow(row: unknown): SqlRow {
  const decoded = row as Record<string, unknown>;
  for (const [name, value] of Object.entries(decoded)) {
    if (typeof value === 'string') decoded[name] = decodeText(value);
  }
  return decoded;
}
