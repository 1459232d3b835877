import {
  decodeText,
  encodeText,
  isPlain,
  type SqlRow,
  type Statement,
  type StatementResult,
} from '@helix-agents/store-sql';
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Runs the statements of one database, each text prepared once. The stores use a bounded number of texts, so none is ever evicted. */
export function createStatements(
  database: DatabaseSync,
): (statement: Statement) => StatementResult {
  const cache = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    const statement = database.prepare(sql);
    const prepared = { statement, returnsRows: returnsRows(sql), byPlace: false };
    cache.set(sql, prepared);
    return prepared;
  };
  return ({ sql, params, byPlace = false }) => {
    const prepared = cache.get(sql) ?? prepare(sql);
    const { statement } = prepared;
    const values = areBindable(params) ? params : params.map(bindable);
    if (!prepared.returnsRows)
      return { changes: Number(statement.run(...values).changes), rows: [] };
    if (prepared.byPlace !== byPlace) statement.setReturnArrays(byPlace);
    prepared.byPlace = byPlace;
    const rows: unknown[] = statement.all(...values);
    for (const row of rows) (byPlace ? decodeValues : decodeFields)(row as never);
    return { changes: 0, rows: rows as SqlRow[] };
  };
}

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
  /** Its rows are arrays, which cost a fraction of objects with many columns. */
  byPlace: boolean;
}

const READS = /^(select|with)\b/;

/** By the text, because reading the columns of a statement costs as much as preparing it. */
function returnsRows(sql: string): boolean {
  return READS.test(sql) || sql.includes('returning');
}

function areBindable(values: readonly unknown[]): boolean {
  for (const value of values) {
    if (typeof value === 'string' ? !isPlain(value) : !isNumberOrNull(value)) return false;
  }
  return true;
}

function isNumberOrNull(value: unknown): boolean {
  return value === null || typeof value === 'number';
}

/** Also handles undefined and booleans, which untyped callers may pass and SQLite cannot bind. */
function bindable(value: unknown): string | number | null {
  if (typeof value === 'string') return encodeText(value);
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value as string | number | null;
}

/** Decodes in place: the rows are not shared yet. */
function decodeFields(row: Record<string, unknown>): void {
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'string') row[name] = decodeText(value);
  }
}

function decodeValues(row: unknown[]): void {
  for (let place = 0; place < row.length; place += 1) {
    const value = row[place];
    if (typeof value === 'string') row[place] = decodeText(value);
  }
}
