import type { SqlParam, SqlRow } from '../driver.ts';

export interface Column {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'time' | 'boolean' | 'json';
  readonly nullable: boolean;
}

/** One column per field: a field added to a row does not compile until it has one. */
export type Columns<Row> = { readonly [Field in keyof Row]-?: Column };

export interface Table<Row> {
  readonly name: string;
  readonly columns: Columns<Row>;
  /** Columns for operators' queries, computed on insert and never read back. */
  readonly derived?: Readonly<Record<string, (row: Row) => SqlParam>>;
}

export function text(name: string): Column {
  return { name, type: 'text', nullable: false };
}

export function integer(name: string): Column {
  return { name, type: 'integer', nullable: false };
}

/** Milliseconds since 1970, on the clock of the store. */
export function time(name: string): Column {
  return { name, type: 'time', nullable: false };
}

export function boolean(name: string): Column {
  return { name, type: 'boolean', nullable: false };
}

/** JSON text as `JSON.stringify` makes it: NUL and lone surrogates are escaped and survive. */
export function json(name: string): Column {
  return { name, type: 'json', nullable: false };
}

export function nullable(column: Column): Column {
  return { ...column, nullable: true };
}

const fieldsByTable = new WeakMap<object, readonly [string, Column][]>();

export function fieldsOf<Row>(table: Table<Row>): readonly [keyof Row, Column][] {
  let fields = fieldsByTable.get(table);
  if (fields === undefined) {
    fields = Object.entries<Column>(table.columns);
    fieldsByTable.set(table, fields);
  }
  return fields as readonly [keyof Row, Column][];
}

/** All columns of an insert, in the order `encodeRow` gives their values. */
export function insertColumns<Row>(table: Table<Row>): readonly string[] {
  return [...fieldsOf(table).map(([, column]) => column.name), ...Object.keys(table.derived ?? {})];
}

/** Times are counted from `origin`. */
export function encodeRow<Row>(table: Table<Row>, row: Row, origin = 0): readonly SqlParam[] {
  const values = fieldsOf(table).map(([field, column]) => encode(column, row[field], origin));
  if (table.derived) for (const derive of Object.values(table.derived)) values.push(derive(row));
  return values;
}

/** The fields that are there, by column name. Times are counted from `origin`. */
export function encodeFields<Row>(
  table: Table<Row>,
  fields: Partial<Row>,
  origin = 0,
): Readonly<Record<string, SqlParam>> {
  const encoded: Record<string, SqlParam> = {};
  for (const [field, column] of fieldsOf(table)) {
    const value = fields[field];
    if (value !== undefined) encoded[column.name] = encode(column, value, origin);
  }
  return encoded;
}

export function decodeRow<Row>(table: Table<Row>, row: SqlRow): Row {
  const decoded: Partial<Record<keyof Row, unknown>> = {};
  for (const [field, column] of fieldsOf(table)) decoded[field] = decode(column, row[column.name]);
  return decoded as Row;
}

/** `x, y, …` for a `returning` that `decodeRow` reads. */
export function columnNames<Row>(table: Table<Row>): string {
  return fieldsOf(table)
    .map(([, column]) => column.name)
    .join(', ');
}

/** `a.x, a.y, …` for a select that `decodeRow` reads. */
export function selectList<Row>(table: Table<Row>, alias: string): string {
  return fieldsOf(table)
    .map(([, column]) => `${alias}.${column.name}`)
    .join(', ');
}

function encode(column: Column, value: unknown, origin: number): SqlParam {
  if (value === null || value === undefined) {
    return column.type === 'json' && !column.nullable ? 'null' : null;
  }
  switch (column.type) {
    case 'json':
      return JSON.stringify(value);
    case 'boolean':
      return value === true ? 1 : 0;
    case 'time':
      return (value as number) - origin;
    case 'text':
    case 'integer':
      return value as SqlParam;
  }
}

function decode(column: Column, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (column.type) {
    case 'json':
      return JSON.parse(value as string);
    case 'boolean':
      return Number(value) === 1;
    case 'integer':
    case 'time':
      // Postgres gives 64 bits as text.
      return Number(value);
    case 'text':
      return value;
  }
}
