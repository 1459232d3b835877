import { createPostgresDatabase, type TestDatabase } from '@helix-agents/test-servers';
import type pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import {
  createPgAdapter,
  PostgresMigrations,
  type PgAdapterOptions,
  type PostgresAdapter,
} from '../src/index.ts';
import { newPool } from './new-pool.ts';

export { newPool };

export interface TestPostgres {
  readonly url: string;
  readonly pool: pg.Pool;
  /** A further pool, as another process has it; closed with `close`. */
  connect(options?: PgAdapterOptions): PostgresAdapter;
  /** Deletes all rows. */
  clear(): Promise<void>;
  /** Closes what `connect` opened. */
  close(): Promise<void>;
}

/** The database of this test file, on the server of the run. Call it inside a suite. */
export function testPostgres(): TestPostgres {
  let database: TestDatabase | undefined;
  let pool: pg.Pool | undefined;
  const opened: pg.Pool[] = [];

  const close = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((one) => one.end()));
  };
  beforeAll(async () => {
    database = await createPostgresDatabase();
    pool = newPool(database.url);
    await new PostgresMigrations(createPgAdapter(pool)).run();
  });
  afterAll(async () => {
    await close();
    await pool?.end();
    await database?.drop();
  });
  return {
    get url() {
      return database?.url ?? '';
    },
    get pool() {
      return pool as pg.Pool;
    },
    connect(options) {
      const own = newPool(database?.url ?? '');
      opened.push(own);
      return createPgAdapter(own, options);
    },
    async clear() {
      if (pool) await deleteRows(pool);
    },
    close,
  };
}

export async function deleteRows(pool: pg.Pool): Promise<void> {
  await pool.query(TABLES.map((table) => `delete from ${table}`).join(';'));
}

const TABLES = [
  '__agents_sessions',
  '__agents_messages',
  '__agents_journal',
  '__agents_open_calls',
  '__agents_sub_session_refs',
  '__agents_checkpoints',
  '__agents_runs',
  '__agents_interrupt_flags',
  '__agents_inputs',
  '__agents_usage',
  '__agents_streams',
  '__agents_stream_chunks',
  '__agents_locks',
];
