import type { SqlParam, Statement } from '../driver.ts';
import { columnsOf, encodeRow, insertColumns, type Column, type Table } from '../rows/column.ts';
import { groupRows } from './row-groups.ts';

/**
 * The condition of all statements after the first: the first has stamped the row with this write id. Null for drivers that do not run
 * them after a miss.
 */
export type Gate = { readonly sessionId: string; readonly writeId: string } | null;

export interface GatedText {
  readonly free: string;
  readonly gated: string;
}

/** A text with the gate, whose two parameters start at the given number, and without it. */
export function gatedText(free: string, word: 'where' | 'and', first: number): GatedText {
  const gate = `exists (select 1 from __agents_sessions as p
    where p.session_id = ?${first} and p.write_id = ?${first + 1})`;
  return { free, gated: `${free} ${word} ${gate}` };
}

export function renderGated(
  { free, gated }: GatedText,
  params: readonly SqlParam[],
  gate: Gate,
): Statement {
  return gate === null
    ? { sql: free, params }
    : { sql: gated, params: [...params, gate.sessionId, gate.writeId] };
}

/** Adds the statements for these rows to a batch. */
export type AddInserts<Row> = (
  batch: Statement[],
  rows: readonly Row[] | undefined,
  gate: Gate,
) => void;

/** Inserts one row. */
function insertOne<Row>(table: Table<Row>): string {
  return `${into(table)} values (${params(1, insertColumns(table).length)})`;
}

function into<Row>(table: Table<Row>): string {
  return `insert into ${table.name} (${insertColumns(table).join(', ')})`;
}

/** Two texts per table: for one row, and for any number of small ones as JSON. */
export function insertInto<Row>(table: Table<Row>): AddInserts<Row> {
  const names = insertColumns(table);
  const one = {
    ...gatedText(`${into(table)} select ${params(1, names.length)}`, 'where', names.length + 1),
    free: insertOne(table),
  };
  const values = names.map((_, position) => `e.value ->> ${position}`);
  const many = gatedText(
    `${into(table)} select ${values.join(', ')} from json_each(?1) as e`,
    'where',
    2,
  );
  return (batch, rows, gate) => {
    if (rows === undefined || rows.length === 0) return;
    for (const group of groupRows(rows.map((row) => encodeRow(table, row))))
      batch.push(
        'row' in group ? renderGated(one, group.row, gate) : renderGated(many, [group.json], gate),
      );
  };
}

/** The key columns of a row and, by column name, what to change. */
export type UpdateItem = Readonly<Record<string, SqlParam>>;
/** Adds the statements for these changes to a batch. */
export type AddUpdates = (batch: Statement[], items: readonly UpdateItem[], gate: Gate) => void;

/** Changes these columns of one row. The parameters of its key, and of its state if it has one, come first. */
function updateOne<Row>(
  table: Table<Row>,
  key: readonly string[],
  names: readonly string[],
): string {
  const conditions = conditionsOf(table, key);
  const first = conditions.length + 1;
  const set = names.map((name, place) => `${name} = ?${first + place}`).join(', ');
  const where = match(conditions, (name) => `?${conditions.indexOf(name) + 1}`);
  return `update ${table.name} as t set ${set} where ${where}`;
}

function conditionsOf<Row>(table: Table<Row>, key: readonly string[]): readonly string[] {
  return table.byField.has('state') ? [...key, 'only_if'] : key;
}

function match(conditions: readonly string[], value: (name: string) => string): string {
  return conditions
    .map((name) =>
      name === 'only_if'
        ? `t.state = coalesce(${value(name)}, t.state)`
        : `t.${name} = ${value(name)}`,
    )
    .join(' and ');
}

/**
 * The update of one row names only the columns it changes, so that no other index is written: one text for each set of columns. Any
 * number of small updates share one text, as JSON. `only_if` in an item is the state that the row must be in.
 */
export function updateOf<Row>(table: Table<Row>, key: readonly string[]): AddUpdates {
  const columns = settable(table, key);
  const conditions = conditionsOf(table, key);
  const texts = new Map<string, GatedText>();
  const one = (names: readonly string[]): GatedText => {
    const shape = names.join();
    const known = texts.get(shape);
    if (known) return known;
    const free = updateOne(table, key, names);
    const text = gatedText(free, 'and', conditions.length + 1 + names.length);
    texts.set(shape, text);
    return text;
  };
  const many = gatedText(
    `update ${table.name} as t set ${jsonSet(columns)} from json_each(?1) as e
    where ${match(conditions, (name) => `e.value ->> '${name}'`)}`,
    'and',
    2,
  );
  const alone = (row: UpdateItem, gate: Gate): Statement | null => {
    const values = conditions.map((name) => row[name] ?? null);
    const names: string[] = [];
    for (const { name } of columns) {
      const value = row[name];
      if (value === undefined) continue;
      names.push(name);
      values.push(value);
    }
    return names.length === 0 ? null : renderGated(one(names), values, gate);
  };
  return (batch, items, gate) => {
    for (const group of groupRows(items)) {
      const statement =
        'row' in group ? alone(group.row, gate) : renderGated(many, [group.json], gate);
      if (statement) batch.push(statement);
    }
  };
}

export function settable<Row>(table: Table<Row>, except: readonly string[]): readonly Column[] {
  return columnsOf(table).filter(({ name }) => !except.includes(name));
}

/** Sets the columns whose bit is set in the mask, which is the first parameter; the values follow it. */
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

/** Sets the columns that an item of `json_each` has. */
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
