import { callKey } from '@helix-agents/core/store';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createPostgresDatabase, describeServer } from '@helix-agents/test-servers';
import { SCHEMA_VERSION } from '@helix-agents/store-sql';
import { callRow, expectNoMoreWrites, seed, sessionRow } from '@helix-agents/testing';
import type pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  createPgAdapter,
  openPostgres,
  PostgresMigrations,
  PostgresStateStore,
} from '../src/index.ts';
import { newPool } from './new-pool.ts';

const program = new URL('./children/migrate.ts', import.meta.url);
const timeout = 600_000;
const ref = { rootId: 's1', sessionId: 's1' };

describeServer('postgres', () => {
  it(
    'MIGR-01 a migration runs once when many processes start at the same time',
    { timeout },
    async () => {
      const { url, pool } = await freshDatabase();
      const ended = await Promise.all(Array.from({ length: 4 }, () => start(url)));
      expect(ended).toEqual(Array(4).fill('ready'));
      expect((await pool.query('select version from __agents_migrations')).rows).toEqual([
        { version: `${SCHEMA_VERSION}` },
      ]);
    },
  );

  it(
    'MIGR-01 a migration runs once, at whatever statement the other processes start',
    { timeout },
    async () => {
      const { url, pool } = await freshDatabase();
      const pools = Array.from({ length: 8 }, () => newPool(url, 1));
      onTestFinished(async () => void (await Promise.all(pools.map((one) => one.end()))));
      for (let round = 0; round < 12; round += 1) {
        await pool.query('drop schema public cascade; create schema public');
        const running = pools.map(async (one, place) => {
          await new Promise((resolve) => setTimeout(resolve, place * round));
          return new PostgresMigrations(createPgAdapter(one)).run();
        });
        expect(await Promise.all(running)).toEqual(pools.map(() => ({ current: SCHEMA_VERSION })));
      }
    },
  );

  it('the schema is not written to by code that was running when a newer release raised it', async () => {
    const { pool } = await freshDatabase();
    const { stateStore, streamManager, close } = openPostgres(pool, { clock: 'caller' });
    onTestFinished(close);
    const raise = (): Promise<unknown> =>
      pool.query(`update __agents_migrations set version = ${SCHEMA_VERSION + 1}`);
    const store = { ...stateStore.sessions, ...stateStore.index };
    await expectNoMoreWrites({ store, streams: streamManager, raise });
    expect(await store.readSession(ref)).toMatchObject({ turn: 1 });
  });

  // As Postgres answers now and then to two that create the same table in one moment.
  it.each(['23505', '42P07', '42710'])(
    'a migration succeeds when another process was first and Postgres reports %s',
    async (code) => {
      const { pool } = await freshDatabase();
      await pool.query(`create table __agents_migrations (version bigint not null primary key);
        create sequence tries;
        create function come_second() returns event_trigger language plpgsql as $$ begin
          if nextval('tries') = 1 then raise 'too late' using errcode = '${code}'; end if;
        end $$;
        create event trigger second on ddl_command_start when tag in ('CREATE TABLE')
          execute function come_second()`);
      const migrations = new PostgresMigrations(createPgAdapter(pool));
      expect(await migrations.run()).toEqual({ current: SCHEMA_VERSION });
      expect(await tablesOf(pool)).toContain('__agents_sessions');
    },
  );

  it('the schema is checked once for all stores of a process, on the first use', async () => {
    const { pool } = await freshDatabase();
    const stores = Array.from({ length: 12 }, () => new PostgresStateStore(createPgAdapter(pool)));
    const read = await Promise.all(stores.map((store) => store.sessions.readSession(ref)));
    expect(read).toEqual(Array(12).fill(null));
    expect(await new PostgresMigrations(createPgAdapter(pool)).run()).toEqual({
      current: SCHEMA_VERSION,
    });
  });

  it('a migration that dies before any of its statements leaves nothing behind', async () => {
    const { pool } = await freshDatabase();
    const adapter = createPgAdapter(pool);
    const statements = await statementCount(pool);
    for (let dieBefore = 1; dieBefore < statements; dieBefore += 3) {
      const broken = createPgAdapter({
        query: (text, values) => pool.query(breakBefore(text, dieBefore), values),
      });
      await expect(new PostgresMigrations(broken).run()).rejects.toMatchObject({
        code: 'store_unavailable',
      });
      expect(await tablesOf(pool)).toEqual([]);
    }
    await new PostgresMigrations(adapter).run();
    expect(await tablesOf(pool)).toContain('__agents_sessions');
  });

  it('a new column does not break prepared statements of running processes', async () => {
    const { url } = await freshDatabase();
    const pool = newPool(url, 1);
    onTestFinished(() => pool.end());
    const { sessions } = new PostgresStateStore(createPgAdapter(pool));
    const [first, second] = [callRow('a'), callRow('b')];
    await seed(sessions, { sessions: [sessionRow()], calls: [first, second] });
    const answer = { kind: 'result', value: 1 } as const;
    const given = { outcome: 'answered', answer, answeredBy: null, now: Date.now() } as const;
    const before = await sessions.answerCall({ key: callKey(first), ...given });
    await pool.query('alter table __agents_open_calls add column audience text');
    const after = await sessions.answerCall({ key: callKey(second), ...given });
    expect([before, after]).toMatchObject([{ found: true }, { found: true }]);
  });

  it('a store refuses a schema of newer code, and one of an earlier product', async () => {
    const { pool } = await freshDatabase();
    await new PostgresMigrations(createPgAdapter(pool)).run();
    await pool.query(`insert into __agents_migrations values (${SCHEMA_VERSION + 1})`);
    const store = new PostgresStateStore(createPgAdapter(pool));
    await expect(store.sessions.readSession(ref)).rejects.toMatchObject({
      code: 'store_schema_mismatch',
      message: expect.stringContaining('update the code'),
    });
    await pool.query('delete from __agents_migrations; insert into __agents_migrations values (7)');
    await expect(store.sessions.readSession(ref)).rejects.toThrow('use another database');
  });

  it('a store refuses a schema that newer code migrates at the same time', async () => {
    const { pool } = await freshDatabase();
    await pool.query('create table __agents_migrations (version bigint not null primary key)');
    const newer = await pool.connect();
    await newer.query('begin; lock table __agents_migrations in share row exclusive mode');
    await newer.query(`insert into __agents_migrations values (${SCHEMA_VERSION + 1})`);
    const store = new PostgresStateStore(createPgAdapter(pool));
    const late = Promise.allSettled([
      new PostgresMigrations(createPgAdapter(pool)).run(),
      store.sessions.readSession(ref),
    ]);
    await waitingForLock(pool, 2);
    await newer.query('commit');
    newer.release();
    expect(await late).toMatchObject([
      { status: 'rejected', reason: { code: 'store_schema_mismatch' } },
      { status: 'rejected', reason: { code: 'store_schema_mismatch' } },
    ]);
    await expect(store.sessions.readSession(ref)).rejects.toThrow('update the code');
    expect(await tablesOf(pool)).toEqual(['__agents_migrations']);
  });

  it('named statements work on an empty database', async () => {
    const { pool } = await freshDatabase();
    const { stateStore, streamManager, usageStore, close } = openPostgres(pool);
    onTestFinished(close);
    const read = await Promise.all([
      stateStore.sessions.readSession(ref),
      streamManager.getStreamInfo('s1'),
      usageStore.getEntries('s1'),
    ]);
    expect(read).toEqual([null, null, []]);
    await seed(stateStore.sessions, { sessions: [sessionRow()] });
    expect(await stateStore.sessions.readSession(ref)).toMatchObject({ sessionId: 's1' });
  });

  it('a store with migrate: false does not migrate, and fails with advice', async () => {
    const { pool } = await freshDatabase();
    const store = new PostgresStateStore(createPgAdapter(pool, { migrate: false }));
    await expect(store.sessions.readSession(ref)).rejects.toMatchObject({
      code: 'store_schema_mismatch',
      message: expect.stringContaining('openPostgres(pool).migrations.run()'),
    });
    expect(await tablesOf(pool)).toEqual([]);
    await new PostgresMigrations(createPgAdapter(pool)).run();
    expect(await store.sessions.readSession(ref)).toBeNull();
  });

  it('a user who may not create tables gets advice', async () => {
    const { url, pool } = await freshDatabase();
    const role = `reader_${Date.now()}`;
    await pool.query(`create role ${role} login; revoke create on schema public from public`);
    onTestFinished(async () => void (await pool.query(`drop role ${role}`)));
    const own = new URL(url);
    own.username = role;
    const poor = newPool(own.href, 1);
    onTestFinished(() => poor.end());
    await expect(new PostgresMigrations(createPgAdapter(poor)).run()).rejects.toThrow(
      'give the database user the right to create tables',
    );
  });
});

async function freshDatabase(): Promise<{ readonly url: string; readonly pool: pg.Pool }> {
  const database = await createPostgresDatabase();
  const pool = newPool(database.url);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  return { url: database.url, pool };
}

async function start(url: string): Promise<string> {
  const args = ['--conditions=@helix-agents/source', fileURLToPath(program), url];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (output += String(data)));
  await new Promise((resolve) => child.on('close', resolve));
  return output;
}

const SEPARATOR = ';\n';

async function statementCount(pool: pg.Pool): Promise<number> {
  let count = 0;
  const counting = createPgAdapter({
    query: (text, values) => {
      if (text.startsWith('do ')) count = text.split(SEPARATOR).length;
      return text.startsWith('do ')
        ? Promise.reject(new Error('counted'))
        : pool.query(text, values);
    },
  });
  await expect(new PostgresMigrations(counting).run()).rejects.toThrow('could not be created');
  return count;
}

/** The connection dies before the statement with this number. */
function breakBefore(text: string, number: number): string {
  if (!text.startsWith('do ')) return text;
  const parts = text.split(SEPARATOR);
  parts.splice(number, 0, `perform pg_terminate_backend(pg_backend_pid())`);
  return parts.join(SEPARATOR);
}

/** Until so many connections wait for a table. */
async function waitingForLock(pool: pg.Pool, count: number): Promise<void> {
  await vi.waitFor(async () => {
    const { rowCount } = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(rowCount).toBe(count);
  }, 300_000);
}

async function tablesOf(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query(
    `select table_name from information_schema.tables where table_schema = 'public'`,
  );
  return rows.map((row) => String(row.table_name));
}
