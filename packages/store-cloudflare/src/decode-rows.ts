import { decodeText, type SqlRow } from '@helix-agents/store-sql';

/** Decodes in place: the rows are not shared yet. */
export function decodeRows(rows: readonly Record<string, unknown>[]): readonly SqlRow[] {
  for (const row of rows) {
    for (const name in row) {
      const value = row[name];
      if (typeof value === 'string') row[name] = decodeText(value);
    }
  }
  return rows;
}
