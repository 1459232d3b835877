import type { SqlParam } from '../../driver.ts';
import { fieldsOf, type Table } from '../../rows/column.ts';

/** Postgres takes lists as parameters. */
export type ListParam = SqlParam | readonly SqlParam[];
export type Type = 'text' | 'bigint';

export interface TypedColumn {
  readonly name: string;
  readonly type: Type;
}

/** The parameters of one statement, numbered as they come. */
export interface Params {
  readonly values: readonly ListParam[];
  /** A place holder for the value, as this type. */
  add(value: ListParam, type: Type | `${Type}[]`): string;
}

export function createParams(): Params {
  const values: ListParam[] = [];
  return {
    values,
    add(value, type) {
      values.push(value);
      return `?${values.length}::${type}`;
    },
  };
}

export function text(name: string): TypedColumn {
  return { name, type: 'text' };
}

export function bigint(name: string): TypedColumn {
  return { name, type: 'bigint' };
}

/** Types of a table's columns by name; what is not among its fields is text. */
export function typesOf<Row>(table: Table<Row>): (name: string) => Type {
  const types = new Map<string, Type>();
  for (const [, { name, type }] of fieldsOf(table)) {
    if (type === 'integer' || type === 'boolean') types.set(name, 'bigint');
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
  return `unnest(${lists.join(', ')}) as ${alias} (${columns.map(({ name }) => name).join(', ')})`;
}
