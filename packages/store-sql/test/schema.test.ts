import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import {
  readSchemaVersion,
  runMigrations,
  SCHEMA_VERSION,
  sqliteDialect,
  type SqlDriver,
} from '../src/index.ts';
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
    for (const statement of version10(sqliteDialect)) database.exec(statement);
    const found = database.prepare('select name from pragma_table_info(?)').all(table.name);
    const expected = [...insertColumns(table), ...(extra[table.name] ?? [])];
    expect(found.map((row) => String(row['name'])).toSorted()).toEqual(expected.toSorted());
  },
);

/** Without transactions, and dying before the statement with this number. */
function mortalDriver(database: DatabaseSync, dieBefore: number): SqlDriver {
  return {
    dialect: sqliteDialect,
    batch: async (statements) =>
      statements.map(({ sql, params }, index) => {
        if (index === dieBefore) throw new Error('died');
        database.prepare(sql).run(...params);
        return { changes: 0, rows: [] };
      }),
    readBatch: async () => [],
    all: async ({ sql, params }) => database.prepare(sql).all(...params),
    isUniqueViolation: () => false,
  };
}

function schemaOf(database: DatabaseSync): unknown {
  return database.prepare('select name, sql from sqlite_master order by name').all();
}

it('is whole whichever statement a process died before, and says so only then', async () => {
  const whole = new DatabaseSync(':memory:');
  await runMigrations(mortalDriver(whole, Infinity));
  const statements = version10(sqliteDialect).length + 2;
  for (let dieBefore = 0; dieBefore < statements; dieBefore += 1) {
    const database = new DatabaseSync(':memory:');
    const dying = mortalDriver(database, dieBefore);
    await expect(runMigrations(dying)).rejects.toMatchObject({ code: 'store_schema_mismatch' });
    expect(await readSchemaVersion(dying)).toBe(0);
    await runMigrations(mortalDriver(database, Infinity));
    expect(schemaOf(database)).toEqual(schemaOf(whole));
    expect(await readSchemaVersion(dying)).toBe(SCHEMA_VERSION);
  }
});
