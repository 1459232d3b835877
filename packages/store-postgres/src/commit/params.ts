import { columnsOf, type SqlClock, type SqlParam, type Table } from '@helix-agents/store-sql';

/** Postgres takes lists as parameters. */
export type ListParam = SqlParam | readonly SqlParam[];

/** The key columns of a row and, by column name, what to change. */
export type UpdateItem = Readonly<Record<string, SqlParam>>;

/** The values of a row, in the order of its columns. */
export type EncodedRow = readonly SqlParam[];

/** Values of `json` and `document` are texts without line breaks. */
export type Type = 'text' | 'json' | 'document' | 'bigint' | 'time';

export interface TypedColumn {
  readonly name: string;
  readonly type: Type;
}

const STORED = {
  text: 'text',
  json: 'text',
  document: 'json',
  bigint: 'bigint',
  time: 'bigint',
} as const;

/** The parameters of one statement, numbered in the order in which they are added. */
export interface Params {
  readonly values: ListParam[];
  readonly clock: SqlClock;
  /** Adds a parameter; gives the SQL for its value, cast to this type. */
  add(value: ListParam, type: Type | `${Type}[]`): string;
}

export function createParams(clock: SqlClock): Params {
  const values: ListParam[] = [];
  return {
    values,
    clock,
    add(value, type) {
      values.push(value);
      const param = `?${values.length}::${type.replace(/time|json|document/, (name) => STORED[name as Type])}`;
      return type === 'time' ? clock.at(param) : param;
    },
  };
}

export function text(name: string): TypedColumn {
  return { name, type: 'text' };
}

export function bigint(name: string): TypedColumn {
  return { name, type: 'bigint' };
}

export function time(name: string): TypedColumn {
  return { name, type: 'time' };
}

/** Types of a table's columns by name; derived columns are text. */
export function typesOf<Row>(table: Table<Row>): (name: string) => Type {
  const types = new Map<string, Type>();
  for (const { name, type } of columnsOf(table)) {
    types.set(name, type === 'integer' || type === 'boolean' ? 'bigint' : type);
  }
  return (name) => types.get(name) ?? 'text';
}

/**
 * SQL for rows as a table: one row value by value, several as one list per column, so that the text does not depend on their number.
 */
export function rowsAs(
  params: Params,
  alias: string,
  columns: readonly TypedColumn[],
  rows: readonly EncodedRow[],
): string {
  const first = params.values.length + 1;
  params.values.push(...tableValues(columns, rows));
  return tableText(params.clock, alias, columns, rows.length === 1, first);
}

/** The parameters of `tableText`. */
export function tableValues(
  columns: readonly TypedColumn[],
  rows: readonly EncodedRow[],
): readonly ListParam[] {
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) return only;
  return columns.map(({ type }, position) => {
    const list = rows.map((row) => row[position] ?? null);
    return isLines(type) ? list.join(LINE) : list;
  });
}

/** A list of JSON values is sent as lines, which need no quoting. Null is an empty line. */
const LINE = '\n';

function isLines(type: Type): boolean {
  return type === 'json' || type === 'document';
}

/** A table of one row, or of any other number. Its parameters start at `first`. */
export function tableText(
  clock: SqlClock,
  alias: string,
  columns: readonly TypedColumn[],
  isOne: boolean,
  first: number,
): string {
  if (isOne) {
    const values = columns.map(({ name, type }, position) => {
      const param = `?${first + position}::${STORED[type]}`;
      return `${type === 'time' ? clock.at(param) : param} as ${name}`;
    });
    return `(select ${values.join(', ')}) as ${alias}`;
  }
  const lists = columns.map(({ type }, position) =>
    isLines(type)
      ? `string_to_array(?${first + position}::text, E'\\n', '')`
      : `?${first + position}::${STORED[type]}[]`,
  );
  const names = columns.map(({ name }) => name).join(', ');
  if (columns.every(({ type }) => type !== 'time' && type !== 'document')) {
    return `unnest(${lists.join(', ')}) as ${alias} (${names})`;
  }
  const values = columns.map(({ name, type }) => {
    if (type === 'time') return `${clock.at(`l.${name}`)} as ${name}`;
    return type === 'document' ? `l.${name}::json as ${name}` : `l.${name}`;
  });
  return `(select ${values.join(', ')} from unnest(${lists.join(', ')}) as l (${names})) as ${alias}`;
}
