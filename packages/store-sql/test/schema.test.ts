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
import { version12 } from '../src/schema/version-12.ts';
import { version13 } from '../src/schema/version-13.ts';
import { version14 } from '../src/schema/version-14.ts';
import { version15 } from '../src/schema/version-15.ts';

/** Statements of a migration that are about its version. */
const NOTES = 4;

/** Columns that are not part of a row. */
const extra: Record<string, string[]> = {
  __agents_sessions: ['write_id'],
  __agents_messages: ['id'],
  __agents_interrupt_flags: ['interrupted'],
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

function statementsOf(...versions: readonly (typeof version10)[]): number {
  return versions.reduce((sum, statements) => sum + statements(sqliteDialect).length, 0);
}

function schemaOf(database: DatabaseSync): unknown {
  return database.prepare('select name, sql from sqlite_master order by name').all();
}

it('a migration that dies before any statement leaves no version, and can run again', async () => {
  const whole = new DatabaseSync(':memory:');
  await runMigrations(mortalDriver(whole, Infinity));
  const all = [version10, version11, version12, version13, version14, version15];
  const statements = statementsOf(...all) + NOTES;
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

it('version 11 keeps every usage entry, whichever statement a process died before', async () => {
  const statements = statementsOf(version11, version12, version13, version14, version15) + NOTES;
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

/** A tree of three, a tombstone, and two sessions whose parents are in databases of their own, as version 12 left them. */
function atVersion12(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  for (const version of [version10, version11, version12]) {
    for (const statement of version(sqliteDialect)) database.exec(statement);
  }
  database.exec(`create table __agents_migrations (version integer not null primary key);
    insert into __agents_migrations values (12)`);
  const insert =
    database.prepare(`insert into __agents_sessions (session_id, root_id, parent_session_id, agent_type,
      stream_id, version, epoch, records, status, run_id, turn, started, host_kind, recoveries, step_id, step_count,
      message_count, custom_state, closed, last_commit, resume_count, tags, metadata, created_at, updated_at)
    values (?1, ?2, ?3, 'a', ?2, 3, 1, 0, 'running', 'r', 1, 1, 'js', 0, 1, 0, 0, '{}', 0, 'c', 0, '[]', '{}', 1, 1)`);
  insert.run('leaf', 'top', 'middle');
  insert.run('middle', 'top', 'top');
  insert.run('top', 'top', null);
  insert.run('"odd"', 'top', 'top');
  insert.run('child', 'elsewhere', 'elsewhere');
  insert.run('grandchild', 'elsewhere', 'between');
  database.exec(`insert into __agents_open_calls (root_id, tool_call_id, part, kind, owner_session_id, owner_step_id,
      owner_index, route, owner_agent_type, tool_name, input, input_hash, state, retention_ms, opened_at)
    values ('top', 'call', '', 'client', 'leaf', 1, 0, '["top","middle","leaf"]', 'a', 't', '{}', 'h', 'open', 1, 1)`);
  return database;
}

it('version 13 gives every session its route and unit, whichever statement a process died before', async () => {
  const statements = statementsOf(version13, version14, version15) + NOTES;
  for (let dieBefore = 0; dieBefore < statements; dieBefore += 1) {
    const database = atVersion12();
    await expect(runMigrations(mortalDriver(database, dieBefore))).rejects.toThrow();
    await runMigrations(mortalDriver(database, Infinity));
    const rows = database
      .prepare('select session_id, route, unit_id from __agents_sessions order by session_id')
      .all();
    expect(rows).toEqual([
      { session_id: '"odd"', route: '["top","\\"odd\\""]', unit_id: 'top' },
      { session_id: 'child', route: '["elsewhere","child"]', unit_id: 'elsewhere' },
      {
        session_id: 'grandchild',
        route: '["elsewhere","between","grandchild"]',
        unit_id: 'elsewhere',
      },
      { session_id: 'leaf', route: '["top","middle","leaf"]', unit_id: 'top' },
      { session_id: 'middle', route: '["top","middle"]', unit_id: 'top' },
      { session_id: 'top', route: '["top"]', unit_id: 'top' },
    ]);
    const calls = database.prepare('select tool_call_id, unit_id from __agents_open_calls').all();
    expect(calls).toEqual([{ tool_call_id: 'call', unit_id: 'top' }]);
  }
});

it('version 14 keeps every human call, without a raw input of its own, whichever statement a process died before', async () => {
  const statements = statementsOf(version14, version15) + NOTES;
  for (let dieBefore = 0; dieBefore < statements; dieBefore += 1) {
    const database = atVersion12();
    for (const statement of version13(sqliteDialect)) database.exec(statement);
    database.exec('update __agents_migrations set version = 13');
    await expect(runMigrations(mortalDriver(database, dieBefore))).rejects.toThrow();
    await runMigrations(mortalDriver(database, Infinity));
    const read = database.prepare('select tool_call_id, input, raw_input from __agents_open_calls');
    expect(read.all()).toEqual([{ tool_call_id: 'call', input: '{}', raw_input: null }]);
  }
});
