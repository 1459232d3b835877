import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { SCHEMA_VERSION } from '@helix-agents/store-sql';
import { createPostgresDatabase, describeServer } from '@helix-agents/test-servers';
import { testGolden, testOperatorQueries, type OperatedStores } from '@helix-agents/testing';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import {
  createPgAdapter,
  PostgresStateStore,
  PostgresStreamManager,
  PostgresUsageStore,
} from '../src/index.ts';
import { dumpDatabase } from './dump-database.ts';

const pools = new WeakMap<object, pg.Pool>();

describeServer('postgres', () => {
  testGolden({
    name: 'postgres',
    fixture: fileURLToPath(new URL(`fixtures/schema-${SCHEMA_VERSION}.sql`, import.meta.url)),
    create: () => openStores(),
    dump: (stores) => dumpDatabase(pools.get(stores) as pg.Pool),
    restore: (dump) => openStores(dump),
    start: (parts) => new JSAgentExecutor(parts),
  });

  testOperatorQueries({
    name: 'postgres',
    dialect: 'postgres',
    create: () => openStores(),
    start: (parts) => new JSAgentExecutor(parts),
  });
});

/** Stores over a database of their own, with what the dump holds. */
async function openStores(dump = ''): Promise<OperatedStores> {
  const database = await createPostgresDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  // Connections that are still open when the database is dropped.
  pool.on('error', () => {});
  await pool.query(dump);
  const adapter = createPgAdapter(pool, { clock: 'caller' });
  const stores = {
    stateStore: new PostgresStateStore(adapter),
    streamManager: new PostgresStreamManager(adapter),
    usageStore: new PostgresUsageStore(adapter),
    query: async (sql: string) => (await pool.query(sql)).rows as { [column: string]: unknown }[],
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
  pools.set(stores, pool);
  return stores;
}
