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
import { version11 } from '../src/schema/version-11.ts';

/** Statements of a migration that are about its version. */
const NOTES = 4;

/** Columns that are not part of a row. */
const extra: Record<string, string[]> = {
  __agents_sessions: ['write_id'],
  __agents_messages: ['id'],
};

it.each(Object.values(tables) as Table<object>[])(
  'has a column for every field of $name',
  async (table) => {
    const database = new DatabaseSync(':memory:');
    await runMigrations(mortalDriver(database, Infinity));
    const found = database.prepare('select name from pragma_table_info(?)').all(table.name);
    const expected = [...insertColumns(table), ...(extra[table.name] ?? [])];
    expect(found.map((row) => String(row['name'])).toSorted()).toEqual(expected.toSorted());
  },
);

/** Without transactions, and dying before the statement with this number. */
function mortalDriver(database: DatabaseSync, dieBefore: number): SqlDriver {
  return {
    dialect: sqliteDialect,
    canStop: false,
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
  const statements = version10(sqliteDialect).length + version11(sqliteDialect).length + NOTES;
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

/** What the first version left behind: a root's entry and that of a sub-agent, the later one first. */
function atVersion10(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  for (const statement of version10(sqliteDialect)) database.exec(statement);
  database.exec(`create table __agents_migrations (version integer not null primary key);
    insert into __agents_migrations values (10);
    create view of_somebody as select id from __agents_usage order by timestamp, rowid;
    insert into __agents_usage values
      ('b', 's1', 's1', 'r1', 1, 'tool', 'tool', 'x', '{}', 7),
      ('a', 'k1', 's1', 'r2', 1, 'tool', 'tool', 'x', '{}', 7)`);
  return database;
}

it('keeps every entry of usage whichever statement of version 11 a process died before', async () => {
  const statements = version11(sqliteDialect).length + NOTES;
  for (let dieBefore = 0; dieBefore < statements; dieBefore += 1) {
    const database = atVersion10();
    const dying = mortalDriver(database, dieBefore);
    await expect(runMigrations(dying)).rejects.toMatchObject({ code: 'store_schema_mismatch' });
    await runMigrations(mortalDriver(database, Infinity));
    expect(database.prepare('select * from of_somebody').all()).toEqual([{ id: 'b' }, { id: 'a' }]);
    expect(database.prepare('select version from __agents_migrations').all()).toEqual([
      { version: SCHEMA_VERSION },
    ]);
  }
});
