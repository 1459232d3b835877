import { setTimeout as wait } from 'node:timers/promises';
import { describeServer } from '@helix-agents/test-servers';
import { testLockManager } from '@helix-agents/testing';
import { createPgAdapter, PostgresLockManager } from '../src/index.ts';
import { testPostgres } from './database.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();

  testLockManager({
    name: 'postgres',
    ttlMs: 600,
    create: async () => {
      await postgres.clear();
      return {
        locks: new PostgresLockManager(createPgAdapter(postgres.pool)),
        // The clock is the server's.
        advance: (ms) => wait(ms),
        close: async () => {},
      };
    },
  });
});
