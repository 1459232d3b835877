import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { SCHEMA_VERSION } from '@helix-agents/store-sql';
import { testGolden, testOperatorQueries, type QueriedWorld } from '@helix-agents/testing';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { SqliteStateStore, SqliteStreamManager, SqliteUsageStore } from '../src/index.ts';
import { dumpDatabase } from './dump-database.ts';

const databases = new WeakMap<object, DatabaseSync>();

testGolden({
  name: 'sqlite',
  fixture: fileURLToPath(new URL(`fixtures/schema-${SCHEMA_VERSION}.sql`, import.meta.url)),
  create: async () => worldOver(new DatabaseSync(':memory:')),
  dump: async (world) => dumpDatabase(databases.get(world) as DatabaseSync),
  restore: async (dump) => {
    const database = new DatabaseSync(':memory:');
    database.exec(dump);
    return worldOver(database);
  },
});

testOperatorQueries({
  name: 'sqlite',
  dialect: 'sqlite',
  create: async () => worldOver(new DatabaseSync(':memory:')),
});

function worldOver(database: DatabaseSync): QueriedWorld {
  const streamManager = new SqliteStreamManager(database);
  const world: QueriedWorld = {
    stateStore: new SqliteStateStore(database),
    streamManager,
    usageStore: new SqliteUsageStore(database),
    query: async (sql: string) => database.prepare(sql).all(),
    start: (parts) => new JSAgentExecutor(parts),
    close() {
      streamManager.close();
      database.close();
    },
  };
  databases.set(world, database);
  return world;
}
