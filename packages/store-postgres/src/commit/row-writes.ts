import { insertColumns, type Table } from '@helix-agents/store-sql';
import {
  rowsAs,
  typesOf,
  type EncodedRow,
  type Params,
  type TypedColumn,
  type UpdateItem,
} from './params.ts';

/** A part of the statement that writes. Each joins `gate`. */
export type Write = string;

export type InsertRows = (
  params: Params,
  rows: readonly EncodedRow[],
  /** The name of a part that must run first. */
  after?: string,
) => Write[];

export function insertInto<Row>(table: Table<Row>): InsertRows {
  const typeOf = typesOf(table);
  const names = insertColumns(table);
  const columns = names.map((name) => ({ name, type: typeOf(name) }));
  const into = `insert into ${table.name} (${names.join(', ')})`;
  return (params, rows, after) => {
    if (rows.length === 0) return [];
    const where = after === undefined ? '' : ` where (select count(*) from ${after}) >= 0`;
    const [only] = rows;
    if (rows.length === 1 && only !== undefined) {
      const values = columns.map(({ type }, position) => params.add(only[position] ?? null, type));
      return [`${into} select ${values.join(', ')} from gate${where}`];
    }
    return [`${into} select e.* from gate, ${rowsAs(params, 'e', columns, rows)}${where}`];
  };
}

export type UpdateRows = (params: Params, items: readonly UpdateItem[]) => Write[];

/** One write per set of changed columns. `only_if` in an item is the state that the row must be in. */
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

/**
 * The `set` clause for these columns. `raise_x` adds one to the column `x`; `answered_interrupt` is a run whose pending interrupt is
 * cleared.
 */
export function assignments(
  key: readonly string[],
): (names: readonly string[], value: (name: string) => string) => string {
  const skipped = new Set([...key, 'only_if']);
  return (names, value) => {
    const set = names.filter((name) => !skipped.has(name)).map((name) => assign(name, value));
    // Nothing to set: the row is written anyway, so that statements that wait for its lock see a change.
    return set.length > 0 ? set.join(', ') : `${key[0]} = t.${key[0]}`;
  };
}

function assign(name: string, value: (name: string) => string): string {
  switch (name) {
    case 'raise_version':
      return 'version = t.version + 1';
    case 'raise_records':
      return 'records = t.records + 1';
    case 'answered_interrupt':
      return `interrupted_run = nullif(t.interrupted_run, ${value(name)})`;
  }
  return `${name} = ${value(name)}`;
}

export type DeleteRows = (params: Params, keys: readonly EncodedRow[] | undefined) => Write[];

/** Deletes the rows with these keys; the column `beyond` must be greater than its value, the others equal. */
export function deleteFrom(
  table: string,
  columns: readonly TypedColumn[],
  beyond?: string,
): DeleteRows {
  return (params, keys = []) => {
    if (keys.length === 0) return [];
    const [only] = keys;
    const alone = keys.length === 1 && only !== undefined;
    const list = alone ? '' : `, ${rowsAs(params, 'e', columns, keys)}`;
    const value = ({ name, type }: TypedColumn, position: number): string =>
      alone ? params.add(only[position] ?? null, type) : `e.${name}`;
    const match = columns.map(
      (column, position) =>
        `t.${column.name} ${column.name === beyond ? '>' : '='} ${value(column, position)}`,
    );
    return [`delete from ${table} as t using gate${list} where ${match.join(' and ')}`];
  };
}
