import type { SqlParam } from '../../driver.ts';
import type { SqlClock } from '../../clock.ts';
import { fieldsOf, type Table } from '../../rows/column.ts';

/** Postgres takes lists as parameters. */
export type ListParam = SqlParam | readonly SqlParam[];
export type Type = 'text' | 'bigint' | 'time';

export interface TypedColumn {
  readonly name: string;
  readonly type: Type;
}

/** The parameters of one statement, numbered as they come. */
export interface Params {
  readonly values: readonly ListParam[];
  readonly clock: SqlClock;
  /** The value, as this type. A list of times has them as they leave: `rowsAs` puts them on the clock. */
  add(value: ListParam, type: Type | `${Type}[]`): string;
}

export function createParams(clock: SqlClock): Params {
  const values: ListParam[] = [];
  return {
    values,
    clock,
    add(value, type) {
      values.push(value);
      const param = `?${values.length}::${type.replace('time', 'bigint')}`;
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

/** Types of a table's columns by name; what is not among its fields is text. */
export function typesOf<Row>(table: Table<Row>): (name: string) => Type {
  const types = new Map<string, Type>();
  for (const [, { name, type }] of fieldsOf(table)) {
    if (type === 'integer' || type === 'boolean') types.set(name, 'bigint');
    if (type === 'time') types.set(name, 'time');
  }
  return (name) => types.get(name) ?? 'text';
}

/**
 * Rows as a table: one alone value by value, several as one list per column, so that the text does not
 * depend on their number.
 */
export function rowsAs(
  params: Params,
  alias: string,
  columns: readonly TypedColumn[],
  rows: readonly (readonly SqlParam[])[],
): string {
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) {
    const values = columns.map(
      ({ name, type }, position) => `${params.add(only[position] ?? null, type)} as ${name}`,
    );
    return `(select ${values.join(', ')}) as ${alias}`;
  }
  const lists = columns.map(({ type }, position) =>
    params.add(
      rows.map((row) => row[position] ?? null),
      `${type}[]`,
    ),
  );
  const names = columns.map(({ name }) => name).join(', ');
  if (columns.every(({ type }) => type !== 'time')) {
    return `unnest(${lists.join(', ')}) as ${alias} (${names})`;
  }
  const values = columns.map(({ name, type }) =>
    type === 'time' ? `${params.clock.at(`l.${name}`)} as ${name}` : `l.${name}`,
  );
  return `(select ${values.join(', ')} from unnest(${lists.join(', ')}) as l (${names})) as ${alias}`;
}
