import type { SqlParam, Statement } from '../driver.ts';
import { encodeRow, fieldsOf, insertColumns, type Column, type Table } from '../rows/column.ts';
import { groupRows } from './row-groups.ts';

/** The other statements of a batch do something only if its first one has stamped this write. */
export interface Gate {
  readonly sessionId: string;
  readonly writeId: string;
}

/** Reads its two parameters from the given number on. */
export function gateClause(first: number): string {
  return `exists (select 1 from __agents_sessions as p
    where p.session_id = ?${first} and p.write_id = ?${first + 1})`;
}

export function gateParams(gate: Gate): readonly SqlParam[] {
  return [gate.sessionId, gate.writeId];
}

export type RenderInsert<Row> = (rows: readonly Row[] | undefined, gate: Gate) => Statement[];

/** Two texts per table: for a row alone, and for any number of small ones. */
export function insertInto<Row>(table: Table<Row>): RenderInsert<Row> {
  const names = insertColumns(table);
  const into = `insert into ${table.name} (${names.join(', ')})`;
  const one = `${into} select ${params(1, names.length)} where ${gateClause(names.length + 1)}`;
  const many = `${into} select ${names.map((_, position) => `e.value ->> ${position}`).join(', ')}
    from json_each(?1) as e where ${gateClause(2)}`;
  return (rows = [], gate) =>
    groupRows(rows.map((row) => encodeRow(table, row))).map((group) =>
      'row' in group
        ? { sql: one, params: [...group.row, ...gateParams(gate)] }
        : { sql: many, params: [group.json, ...gateParams(gate)] },
    );
}

/** Names the row by its key columns and, by column name, what to change. */
export type UpdateItem = Readonly<Record<string, SqlParam>>;
export type RenderUpdate = (items: readonly UpdateItem[], gate: Gate) => Statement[];

/** As for inserts, two texts. `only_if` in an item names the state the row must be in. */
export function updateOf<Row>(table: Table<Row>, key: readonly string[]): RenderUpdate {
  const columns = settable(table, key);
  const conditions = 'state' in table.columns ? [...key, 'only_if'] : key;
  const match = (value: (name: string) => string): string =>
    conditions
      .map((name) =>
        name === 'only_if'
          ? `t.state = coalesce(${value(name)}, t.state)`
          : `t.${name} = ${value(name)}`,
      )
      .join(' and ');
  const start = conditions.length + 1;
  const one = `update ${table.name} as t set ${maskedSet(columns, start)}
    where ${match((name) => `?${conditions.indexOf(name) + 1}`)}
      and ${gateClause(start + columns.length + 1)}`;
  const many = `update ${table.name} as t set ${jsonSet(columns)} from json_each(?1) as e
    where ${match((name) => `e.value ->> '${name}'`)} and ${gateClause(2)}`;
  return (items, gate) =>
    groupRows(items).map((group) =>
      'row' in group
        ? {
            sql: one,
            params: [
              ...conditions.map((name) => group.row[name] ?? null),
              ...maskedParams(columns, group.row),
              ...gateParams(gate),
            ],
          }
        : { sql: many, params: [group.json, ...gateParams(gate)] },
    );
}

export function settable<Row>(table: Table<Row>, except: readonly string[]): readonly Column[] {
  return fieldsOf(table)
    .map(([, column]) => column)
    .filter(({ name }) => !except.includes(name));
}

/** Sets the columns whose bit is in the mask, the first parameter; their values follow it. */
export function maskedSet(columns: readonly Column[], first: number): string {
  return columns
    .map(
      ({ name }, position) =>
        `${name} = case when ?${first} & ${2 ** position} then ?${first + 1 + position} else t.${name} end`,
    )
    .join(', ');
}

export function maskedParams(columns: readonly Column[], item: UpdateItem): readonly SqlParam[] {
  const mask = columns.reduce(
    (sum, { name }, position) => sum + (name in item ? 2 ** position : 0),
    0,
  );
  return [mask, ...columns.map(({ name }) => item[name] ?? null)];
}

/** Sets the columns that the item of `json_each` names. */
export function jsonSet(columns: readonly Column[]): string {
  return columns
    .map(({ name, nullable }) =>
      nullable
        ? `${name} = case when json_type(e.value, '$.${name}') is null
            then t.${name} else e.value ->> '${name}' end`
        : `${name} = coalesce(e.value ->> '${name}', t.${name})`,
    )
    .join(', ');
}

/** `?2, ?3, ?4` for three parameters from the second on. */
export function params(first: number, count: number): string {
  return Array.from({ length: count }, (_, offset) => `?${first + offset}`).join(', ');
}
