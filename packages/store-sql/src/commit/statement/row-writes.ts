import type { SqlParam } from '../../driver.ts';
import { encodeRow, insertColumns, type Table } from '../../rows/column.ts';
import type { UpdateItem } from '../row-statements.ts';
import { rowsAs, type Params, type Type, type TypedColumn, typesOf } from './params.ts';

/** A part of the statement that writes. Each joins `gate`, which has a row if every guard holds. */
export type Write = string;

/** Runs after the part `after`, where there is one. */
export type InsertRows<Row> = (
  params: Params,
  rows: readonly Row[] | undefined,
  after?: string,
) => Write[];

export function insertInto<Row>(table: Table<Row>): InsertRows<Row> {
  const typeOf = typesOf(table);
  const names = insertColumns(table);
  const columns = names.map((name) => ({ name, type: typeOf(name) }));
  const into = `insert into ${table.name} (${names.join(', ')})`;
  return (params, rows = [], after) => {
    if (rows.length === 0) return [];
    const encoded = rows.map((row) => encodeRow(table, row));
    const where = after === undefined ? '' : ` where (select count(*) from ${after}) >= 0`;
    const [only] = encoded;
    if (encoded.length === 1 && only !== undefined) {
      const values = columns.map(({ type }, position) => params.add(only[position] ?? null, type));
      return [`${into} select ${values.join(', ')} from gate${where}`];
    }
    return [`${into} select e.* from gate, ${rowsAs(params, 'e', columns, encoded)}${where}`];
  };
}

export type UpdateRows = (params: Params, items: readonly UpdateItem[]) => Write[];

/** One write per set of columns that change. `only_if` in an item names the state the row must be in. */
export function updateOf<Row>(table: Table<Row>, key: readonly string[]): UpdateRows {
  const typeOf = typesOf(table);
  const setOf = assignments(key);
  return (params, items) =>
    [...Map.groupBy(items, (item) => Object.keys(item).join()).values()].map((group) => {
      const names = Object.keys(group[0] ?? {});
      const columns = names.map((name) => ({ name, type: typeOf(name) }));
      const rows = group.map((item) => names.map((name) => item[name] ?? null));
      const [only] = group;
      const alone = group.length === 1 && only !== undefined;
      const list = alone ? '' : `, ${rowsAs(params, 'e', columns, rows)}`;
      const value = (name: string): string =>
        alone ? params.add(only[name] ?? null, typeOf(name)) : `e.${name}`;
      const set = setOf(names, value);
      const match = key.map((name) => `t.${name} = ${value(name)}`);
      if (names.includes('only_if')) match.push(`t.state = ${value('only_if')}`);
      return `update ${table.name} as t set ${set} from gate${list} where ${match.join(' and ')}`;
    });
}

/** The `set` clause for the columns named; `raise_x` adds one to the column `x`. */
export function assignments(
  key: readonly string[],
): (names: readonly string[], value: (name: string) => string) => string {
  const skipped = new Set([...key, 'only_if']);
  return (names, value) => {
    const set = names
      .filter((name) => !skipped.has(name))
      .map((name) => {
        const raised = name.startsWith(RAISE) ? name.slice(RAISE.length) : undefined;
        return raised === undefined ? `${name} = ${value(name)}` : `${raised} = t.${raised} + 1`;
      });
    // Nothing to set: the row is written all the same, so that who waits for it sees that.
    return set.length > 0 ? set.join(', ') : `${key[0]} = t.${key[0]}`;
  };
}

const RAISE = 'raise_';

/** Deletes the rows that the keys name; a column of `beyond` must be greater, the others equal. */
export function deleteFrom(
  table: string,
  columns: readonly TypedColumn[],
  beyond?: string,
): (params: Params, keys: readonly (readonly SqlParam[])[] | undefined) => Write[] {
  return (params, keys = []) => {
    if (keys.length === 0) return [];
    const [only] = keys;
    const alone = keys.length === 1 && only !== undefined;
    const list = alone ? '' : `, ${rowsAs(params, 'e', columns, keys)}`;
    const value = ({ name, type }: { name: string; type: Type }, position: number): string =>
      alone ? params.add(only[position] ?? null, type) : `e.${name}`;
    const match = columns.map(
      (column, position) =>
        `t.${column.name} ${column.name === beyond ? '>' : '='} ${value(column, position)}`,
    );
    return [`delete from ${table} as t using gate${list} where ${match.join(' and ')}`];
  };
}
