import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { SCHEMA_VERSION } from '@helix-agents/store-sql';
import { createPostgresDatabase, describeServer } from '@helix-agents/test-servers';
import { testGolden, testOperatorQueries, type QueriedWorld } from '@helix-agents/testing';
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
    create: () => openWorld(),
    dump: (world) => dumpDatabase(pools.get(world) as pg.Pool),
    restore: (dump) => openWorld(dump),
  });

  testOperatorQueries({
    name: 'postgres',
    dialect: 'postgres',
    create: () => openWorld(),
  });
});

/** A world over a database of its own, with what the dump holds. */
async function openWorld(dump = ''): Promise<QueriedWorld> {
  const database = await createPostgresDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  // Connections that are still open when the database is dropped.
  pool.on('error', () => {});
  await pool.query(dump);
  const adapter = createPgAdapter(pool, { clock: 'caller' });
  const world: QueriedWorld = {
    stateStore: new PostgresStateStore(adapter),
    streamManager: new PostgresStreamManager(adapter),
    usageStore: new PostgresUsageStore(adapter),
    query: async (sql: string) => (await pool.query(sql)).rows as { [column: string]: unknown }[],
    start: (parts) => new JSAgentExecutor(parts),
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
  pools.set(world, pool);
  return world;
}
