import { describeServer } from '@helix-agents/test-servers';
import { testLockManager } from '@helix-agents/testing';
import { createPgAdapter, PostgresLockManager } from '../src/index.ts';
import { testPostgres } from './database.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();

  testLockManager({
    name: 'postgres',
    ttlMs: 600_000,
    create: async () => {
      await postgres.clear();
      return {
        locks: new PostgresLockManager(createPgAdapter(postgres.pool)),
        // The clock is the server's: instead of it the ends of the locks are moved.
        async advance(ms) {
          const sql = 'update __agents_locks set expires_at = expires_at - $1';
          await postgres.pool.query(sql, [ms]);
        },
        close: async () => {},
      };
    },
  });
});
