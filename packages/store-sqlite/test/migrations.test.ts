import { runMigrations, SCHEMA_VERSION, type SqlDriver } from '@helix-agents/store-sql';
import { expectNoMoreWrites } from '@helix-agents/testing';
import { chmodSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../src/connection.ts';
import { SqliteStateStore, SqliteStreamManager } from '../src/index.ts';
import { createNodeDriver } from '../src/node-driver.ts';
import { scripts, startChild, temporaryFile } from './child-process.ts';

const ref = { rootId: 's1', sessionId: 's1' };

function schemaOf(file: string): unknown {
  const database = new DatabaseSync(file);
  const schema = database
    .prepare(`select name, sql from sqlite_master where name like '%agents%' order by name`)
    .all();
  const versions = database.prepare('select version from __agents_migrations').all();
  database.close();
  return { schema, versions };
}

describe('the SQLite schema', () => {
  it('is created by eight processes at once', async () => {
    const file = temporaryFile();
    const ended = await Promise.all(
      Array.from({ length: 8 }, () => startChild(scripts.migrate, [file]).ended),
    );
    expect(ended.map(({ output }) => output)).toEqual(ended.map(() => 'ready'));
    expect(schemaOf(file)).toMatchObject({ versions: [{ version: SCHEMA_VERSION }] });
  });

  it.each(['transaction', 'autocommit'])(
    'is whole after processes died between its statements: %s',
    async (mode) => {
      const whole = temporaryFile();
      await startChild(scripts.migrate, [whole]).ended;
      const file = temporaryFile();
      for (const statement of [0, 1, 9, 25]) {
        const died = await startChild(scripts.migrate, [file, String(statement), mode]).ended;
        expect(died.signal).toBe('SIGKILL');
      }
      expect(await startChild(scripts.migrate, [file]).ended).toMatchObject({ output: 'ready' });
      expect(schemaOf(file)).toEqual(schemaOf(whole));
    },
  );

  it('is refused when it is newer than the code', async () => {
    const database = new DatabaseSync(':memory:');
    database.exec('create table __agents_migrations (version integer primary key)');
    database.exec(`insert into __agents_migrations values (${SCHEMA_VERSION + 1})`);
    const store = new SqliteStateStore(database);
    await expect(store.sessions.readSession(ref)).rejects.toMatchObject({
      code: 'store_schema_mismatch',
      message: expect.stringContaining('update the code'),
    });
  });

  it('is not written to by code that was running when a newer release raised it', async () => {
    const database = new DatabaseSync(':memory:');
    const { sessions, index } = new SqliteStateStore(database);
    const streams = new SqliteStreamManager(database);
    const raise = async (): Promise<void> =>
      database.exec(`update __agents_migrations set version = ${SCHEMA_VERSION + 1}`);
    await expectNoMoreWrites({ store: { ...sessions, ...index }, streams, raise });
    expect(await sessions.readSession(ref)).toMatchObject({ turn: 1 });
  });

  it('keeps messages that were stored twice under one id', async () => {
    const database = new DatabaseSync(':memory:');
    database.exec(readFileSync(new URL('./fixtures/schema-13.sql', import.meta.url), 'utf8'));
    const insert = database.prepare(
      `insert into __agents_messages (session_id, sequence, message, created_at, role, message_id)
        values ('twice', ?, ?, 1, 'user', 'a')`,
    );
    const message = { role: 'user', id: 'a', content: 'again' } as const;
    for (const sequence of [1, 2, 3]) insert.run(sequence, JSON.stringify(message));
    const { sessions } = new SqliteStateStore(database);
    const twice = { rootId: 'twice', sessionId: 'twice' };
    expect(await sessions.readMessages(twice)).toHaveLength(3);
    expect(await sessions.readMessage(twice, 'a')).toMatchObject({ sequence: 1, message });
  });

  it('is not overwritten by an older release that migrates at the same time', async () => {
    const database = new DatabaseSync(':memory:');
    database.exec(readFileSync(new URL('./fixtures/schema-10.sql', import.meta.url), 'utf8'));
    const driver = createNodeDriver(database, 1000, false);
    const entries = (): unknown =>
      database.prepare('select count(*) as n, sum(cost) as cost from __agents_usage').get();
    let before: unknown;
    const older: SqlDriver = {
      ...driver,
      batch: async (statements, options) => {
        await runMigrations(driver);
        database.exec(`alter table __agents_usage add column cost integer not null default 7;
          delete from __agents_migrations;
          insert into __agents_migrations values (${SCHEMA_VERSION + 1})`);
        before = entries();
        return driver.batch(statements, options);
      },
    };
    await expect(runMigrations(older)).rejects.toMatchObject({
      code: 'store_schema_mismatch',
      message: expect.stringContaining('update the code'),
    });
    expect(entries()).toEqual(before);
    expect(database.prepare('select version from __agents_migrations').all()).toEqual([
      { version: SCHEMA_VERSION + 1 },
    ]);
  });

  it('is accepted when another process of the same release migrated first', async () => {
    const database = new DatabaseSync(':memory:');
    const driver = createNodeDriver(database, 1000, false);
    const slower: SqlDriver = {
      ...driver,
      batch: async (statements, options) => {
        await runMigrations(driver);
        database.exec('alter table __agents_usage add column of_somebody integer');
        return driver.batch(statements, options);
      },
    };
    expect(await runMigrations(slower)).toEqual({ current: SCHEMA_VERSION });
    expect(database.prepare('select of_somebody from __agents_usage').all()).toEqual([]);
  });

  it('is refused when it belongs to an earlier product', async () => {
    const database = new DatabaseSync(':memory:');
    database.exec('create table __agents_migrations (version integer primary key)');
    database.exec('insert into __agents_migrations values (9)');
    const store = new SqliteStateStore(database);
    await expect(store.sessions.readSession(ref)).rejects.toMatchObject({
      code: 'store_schema_mismatch',
    });
  });

  it('is not created with migrate: false', async () => {
    const database = new DatabaseSync(':memory:');
    const store = new SqliteStateStore(database, { migrate: false });
    await expect(store.sessions.readSession(ref)).rejects.toMatchObject({
      code: 'store_schema_mismatch',
      message: expect.stringContaining('open it once without `migrate: false`'),
    });
    await new SqliteStateStore(database).sessions.readSession(ref);
    expect(await store.sessions.readSession(ref)).toBeNull();
  });

  it('that cannot be created in a read-only file rejects as store_unavailable', async () => {
    const file = temporaryFile();
    new DatabaseSync(file).close();
    chmodSync(file, 0o444);
    const database = new DatabaseSync(file, { readOnly: true });
    const store = new SqliteStateStore(database);
    await expect(store.sessions.readSession(ref)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('The SQLite database'),
    });
    database.close();
  });

  it('stores its version where the documents say', async () => {
    const database = new DatabaseSync(':memory:');
    await new SqliteStateStore(database).sessions.readSession(ref);
    const rows = database.prepare('SELECT version FROM __agents_migrations').all();
    expect(rows.map((row) => row['version'])).toEqual([SCHEMA_VERSION]);
  });
});

it.each([
  ['full', {}, 2],
  ['normal', { synchronous: 'normal' }, 1],
] as const)('opens a file with WAL and synchronous %s', (_, options, synchronous) => {
  const database = openDatabase(temporaryFile(), options);
  expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(database.prepare('pragma synchronous').get()).toEqual({ synchronous });
  database.close();
});
