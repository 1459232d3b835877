import type { PlacedRow, SqlParam, SqlRow } from '../driver.ts';

export interface Column {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'time' | 'boolean' | 'json' | 'document';
  readonly nullable: boolean;
}

/** One column per field: a field that is added to a row does not compile until it has one. */
export type Columns<Row> = { readonly [Field in keyof Row]-?: Column };

interface Cell<Row> {
  readonly field: keyof Row & string;
  readonly column: Column;
}

/** A table and how its rows are encoded. Made by `defineTable`. */
export interface Table<Row> {
  readonly name: string;
  /** Fields with their columns, in the order of the columns. */
  readonly cells: readonly Cell<Row>[];
  readonly byField: ReadonlyMap<string, Column>;
  readonly derived: readonly Derived<Row>[];
}

/** A column for operators' queries, computed on insert and never read back. */
interface Derived<Row> {
  readonly name: string;
  readonly derive: (row: Row) => SqlParam;
}

export function defineTable<Row>({
  name,
  columns,
  derived = {},
}: {
  readonly name: string;
  readonly columns: Columns<Row>;
  readonly derived?: Readonly<Record<string, (row: Row) => SqlParam>>;
}): Table<Row> {
  const entries = Object.entries<Column>(columns);
  return {
    name,
    cells: entries.map(([field, column]) => ({ field: field as keyof Row & string, column })),
    byField: new Map(entries),
    derived: Object.entries(derived).map(([column, derive]) => ({ name: column, derive })),
  };
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

/** The same, in a column of type JSON where the database has that type, for operators' queries. */
export function document(name: string): Column {
  return { name, type: 'document', nullable: false };
}

export function nullable(column: Column): Column {
  return { ...column, nullable: true };
}

export function columnsOf<Row>({ cells }: Table<Row>): readonly Column[] {
  return cells.map(({ column }) => column);
}

/** All columns of an insert, in the order in which `encodeRow` gives their values. */
export function insertColumns<Row>(table: Table<Row>): readonly string[] {
  return [...columnsOf(table), ...table.derived].map(({ name }) => name);
}

/** Times are relative to `origin`. */
export function encodeRow<Row>(
  { cells, derived }: Table<Row>,
  row: Row,
  origin = 0,
): readonly SqlParam[] {
  const values: SqlParam[] = [];
  for (const { field, column } of cells) values.push(encode(column, row[field], origin));
  for (const { derive } of derived) values.push(derive(row));
  return values;
}

/** The fields that are set, by column name. Times are relative to `origin`. */
export function encodeFields<Row extends object>(
  { byField }: Table<Row>,
  fields: Partial<Row>,
  origin = 0,
): Readonly<Record<string, SqlParam>> {
  const encoded: Record<string, SqlParam> = {};
  for (const field of Object.keys(fields)) {
    const column = byField.get(field);
    const value = fields[field as keyof Row];
    if (column && value !== undefined) encoded[column.name] = encode(column, value, origin);
  }
  return encoded;
}

/** Appends the values of the fields that are set, in the order of the columns. Gives a mask with one bit for each such column. */
export function encodeInto<Row extends object>(
  { cells }: Table<Row>,
  fields: Partial<Row>,
  values: SqlParam[],
): number {
  let mask = 0;
  let bit = 1;
  for (const { field, column } of cells) {
    const value = fields[field];
    if (value !== undefined) {
      values.push(encode(column, value, 0));
      mask += bit;
    }
    bit *= 2;
  }
  return mask;
}

/** The columns whose bits are set. */
export function namesIn<Row>(table: Table<Row>, mask: number): readonly string[] {
  return columnsOf(table).flatMap(({ name }, place) =>
    Math.floor(mask / 2 ** place) % 2 === 1 ? [name] : [],
  );
}

export function decodeRow<Row>({ cells }: Table<Row>, row: SqlRow | PlacedRow): Row {
  const decoded: Partial<Record<keyof Row, unknown>> = {};
  if (isPlaced(row)) {
    for (let place = 0; place < cells.length; place += 1) {
      const { field, column } = cells[place] as (typeof cells)[number];
      decoded[field] = decode(column, row[place]);
    }
  } else for (const { field, column } of cells) decoded[field] = decode(column, row[column.name]);
  return decoded as Row;
}

/** A value that a read gives after the columns of the table: the nth, with that name. */
export function valueAfter<Row>(
  { cells }: Table<Row>,
  row: SqlRow | PlacedRow,
  name: string,
  nth: number,
): unknown {
  return isPlaced(row) ? row[cells.length + nth] : row[name];
}

function isPlaced(row: SqlRow | PlacedRow): row is PlacedRow {
  return Array.isArray(row);
}

export function decodeAll<Row>(table: Table<Row>, rows: readonly SqlRow[] = []): Row[] {
  return rows.map((row) => decodeRow(table, row));
}

/** `x, y, …` for a `select` or `returning` that `decodeRow` reads. */
export function columnNames<Row>(table: Table<Row>): string {
  return columnsOf(table)
    .map(({ name }) => name)
    .join(', ');
}

/** `a.x, a.y, …` for a select that `decodeRow` reads. */
export function selectList<Row>(table: Table<Row>, alias: string): string {
  return columnsOf(table)
    .map(({ name, type }) =>
      // Cast, because some clients parse JSON columns themselves.
      type === 'document' ? `cast(${alias}.${name} as text) as ${name}` : `${alias}.${name}`,
    )
    .join(', ');
}

function encode(column: Column, value: unknown, origin: number): SqlParam {
  if (value === null || value === undefined) {
    return column.type === 'json' && !column.nullable ? 'null' : null;
  }
  switch (column.type) {
    case 'json':
    case 'document':
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
    case 'document':
      return JSON.parse(value as string);
    case 'boolean':
      return Number(value) === 1;
    case 'integer':
    case 'time':
      // Clients of Postgres give 64-bit integers as text.
      return Number(value);
    case 'text':
      return value;
  }
}
