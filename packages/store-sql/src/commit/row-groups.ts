import type { SqlParam } from '../driver.ts';
import { jsonParam } from './json-param.ts';

export type RowJson = readonly SqlParam[] | Readonly<Record<string, SqlParam>>;

/** One row is bound value by value; many small ones are one JSON parameter. */
export type RowGroup<Row> = { readonly row: Row } | { readonly json: string };

/** D1 takes two million bytes per parameter. */
const MAX_PARAM_CHARS = 500_000;
/** Up to this many, a statement for each costs less than extracting them from JSON. */
const FEW_ROWS = 3;
/** Above this, extracting a row from JSON costs more than a statement of its own. */
const LARGE_ROW_CHARS = 20_000;

export function groupRows<Row extends RowJson>(rows: readonly Row[]): RowGroup<Row>[] {
  if (rows.length <= FEW_ROWS) return rows.map((row) => ({ row }));
  const groups: RowGroup<Row>[] = [];
  let parts: string[] = [];
  let length = 0;
  const flush = (): void => {
    if (parts.length > 0) groups.push({ json: `[${parts.join(',')}]` });
    parts = [];
    length = 0;
  };
  for (const row of rows) {
    const json = jsonParam(row);
    if (json.length > LARGE_ROW_CHARS) {
      flush();
      groups.push({ row });
      continue;
    }
    if (length + json.length > MAX_PARAM_CHARS) flush();
    parts.push(json);
    length += json.length + 1;
  }
  flush();
  return groups;
}
