import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { insertColumns, type Table } from '../src/rows/column.ts';
import * as tables from '../src/rows/tables.ts';
import { version10 } from '../src/schema/version-10.ts';

/** Columns that are not part of a row. */
const extra: Record<string, string[]> = {
  __agents_sessions: ['write_id'],
  __agents_messages: ['id'],
};

it.each(Object.values(tables) as Table<object>[])(
  'has a column for every field of $name',
  (table) => {
    const database = new DatabaseSync(':memory:');
    for (const statement of version10) database.exec(statement);
    const found = database.prepare('select name from pragma_table_info(?)').all(table.name);
    const expected = [...insertColumns(table), ...(extra[table.name] ?? [])];
    expect(found.map((row) => String(row['name'])).toSorted()).toEqual(expected.toSorted());
  },
);
