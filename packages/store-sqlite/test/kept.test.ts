import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { SCHEMA_VERSION } from '@helix-agents/store-sql';
import { testGolden, testOperatorQueries, type OperatedStores } from '@helix-agents/testing';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { SqliteStateStore, SqliteStreamManager, SqliteUsageStore } from '../src/index.ts';
import { dumpDatabase } from './dump-database.ts';

const databases = new WeakMap<object, DatabaseSync>();

testGolden({
  name: 'sqlite',
  fixture: fileURLToPath(new URL(`fixtures/schema-${SCHEMA_VERSION}.sql`, import.meta.url)),
  create: async () => storesOver(new DatabaseSync(':memory:')),
  dump: async (stores) => dumpDatabase(databases.get(stores) as DatabaseSync),
  restore: async (dump) => {
    const database = new DatabaseSync(':memory:');
    database.exec(dump);
    return storesOver(database);
  },
  start: (parts) => new JSAgentExecutor(parts),
});

testOperatorQueries({
  name: 'sqlite',
  dialect: 'sqlite',
  create: async () => storesOver(new DatabaseSync(':memory:')),
  start: (parts) => new JSAgentExecutor(parts),
});

function storesOver(database: DatabaseSync): OperatedStores {
  const streamManager = new SqliteStreamManager(database);
  const stores = {
    stateStore: new SqliteStateStore(database),
    streamManager,
    usageStore: new SqliteUsageStore(database),
    query: async (sql: string) => database.prepare(sql).all(),
    close: async () => {
      streamManager.close();
      database.close();
    },
  };
  databases.set(stores, database);
  return stores;
}
