import type { PlacedRow, SqlParam, SqlRow } from '../driver.ts';

export interface Column {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'time' | 'boolean' | 'json' | 'document';
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

/** The same, in a column that is JSON to the database itself where it has such a type, for operators' queries. */
export function document(name: string): Column {
  return { name, type: 'document', nullable: false };
}

export function nullable(column: Column): Column {
  return { ...column, nullable: true };
}

interface Layout<Row> {
  readonly fields: readonly (readonly [keyof Row, Column])[];
  /** The same, to go through row by row. */
  readonly cells: readonly { readonly field: keyof Row; readonly column: Column }[];
  readonly byField: ReadonlyMap<string, Column>;
  readonly derived: readonly ((row: Row) => SqlParam)[];
}

const layouts = new WeakMap<object, Layout<never>>();

function layoutOf<Row>(table: Table<Row>): Layout<Row> {
  const known = layouts.get(table);
  if (known !== undefined) return known as unknown as Layout<Row>;
  const entries = Object.entries<Column>(table.columns);
  const layout: Layout<Row> = {
    fields: entries as unknown as Layout<Row>['fields'],
    cells: entries.map(([field, column]) => ({ field: field as keyof Row, column })),
    byField: new Map(entries),
    derived: Object.values(table.derived ?? {}),
  };
  layouts.set(table, layout as unknown as Layout<never>);
  return layout;
}

export function fieldsOf<Row>(table: Table<Row>): readonly (readonly [keyof Row, Column])[] {
  return layoutOf(table).fields;
}

/** All columns of an insert, in the order `encodeRow` gives their values. */
export function insertColumns<Row>(table: Table<Row>): readonly string[] {
  return [...fieldsOf(table).map(([, column]) => column.name), ...Object.keys(table.derived ?? {})];
}

/** Times are counted from `origin`. */
export function encodeRow<Row>(table: Table<Row>, row: Row, origin = 0): readonly SqlParam[] {
  const { cells, derived } = layoutOf(table);
  const values: SqlParam[] = [];
  for (const { field, column } of cells) values.push(encode(column, row[field], origin));
  for (const derive of derived) values.push(derive(row));
  return values;
}

/** The fields that are there, by column name. Times are counted from `origin`. */
export function encodeFields<Row extends object>(
  table: Table<Row>,
  fields: Partial<Row>,
  origin = 0,
): Readonly<Record<string, SqlParam>> {
  const { byField } = layoutOf(table);
  const encoded: Record<string, SqlParam> = {};
  for (const field of Object.keys(fields)) {
    const column = byField.get(field);
    const value = fields[field as keyof Row];
    if (column && value !== undefined) encoded[column.name] = encode(column, value, origin);
  }
  return encoded;
}

/** The fields that are there, their values added to a list in the order of the columns; says which, as a bit for each. */
export function encodeInto<Row extends object>(
  table: Table<Row>,
  fields: Partial<Row>,
  values: SqlParam[],
): number {
  const { cells } = layoutOf(table);
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
  return fieldsOf(table).flatMap(([, { name }], place) =>
    Math.floor(mask / 2 ** place) % 2 === 1 ? [name] : [],
  );
}

export function decodeRow<Row>(table: Table<Row>, row: SqlRow | PlacedRow): Row {
  const { cells } = layoutOf(table);
  const decoded: Partial<Record<keyof Row, unknown>> = {};
  if (isPlaced(row)) {
    for (let place = 0; place < cells.length; place += 1) {
      const { field, column } = cells[place] as (typeof cells)[number];
      decoded[field] = decode(column, row[place]);
    }
  } else for (const { field, column } of cells) decoded[field] = decode(column, row[column.name]);
  return decoded as Row;
}

/** What a read gives after the columns of the table: the value of that name, the nth after them. */
export function valueAfter<Row>(
  table: Table<Row>,
  row: SqlRow | PlacedRow,
  name: string,
  nth: number,
): unknown {
  return isPlaced(row) ? row[layoutOf(table).cells.length + nth] : row[name];
}

function isPlaced(row: SqlRow | PlacedRow): row is PlacedRow {
  return Array.isArray(row);
}

export function decodeAll<Row>(table: Table<Row>, rows: readonly SqlRow[] = []): Row[] {
  return rows.map((row) => decodeRow(table, row));
}

/** `x, y, …` for a `select` or `returning` that `decodeRow` reads. */
export function columnNames<Row>(table: Table<Row>): string {
  return fieldsOf(table)
    .map(([, column]) => column.name)
    .join(', ');
}

/** `a.x, a.y, …` for a select that `decodeRow` reads. */
export function selectList<Row>(table: Table<Row>, alias: string): string {
  return fieldsOf(table)
    .map(([, { name, type }]) =>
      // A client may parse JSON by itself.
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
      // Postgres gives 64 bits as text.
      return Number(value);
    case 'text':
      return value;
  }
}
