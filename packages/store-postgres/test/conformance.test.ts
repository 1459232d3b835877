import { describeServer } from '@helix-agents/test-servers';
import {
  testSessionStore,
  testStateStore,
  testStreamManager,
  testUsageStore,
} from '@helix-agents/testing';
import type pg from 'pg';
import {
  createPgAdapter,
  PostgresStateStore,
  PostgresStreamManager,
  PostgresUsageStore,
  type PgClient,
  type PostgresAdapter,
} from '../src/index.ts';
import { testPostgres } from './database.ts';

const capabilities = { shared: true, persistent: true, serverClock: true, carriesStreams: true };

describeServer('postgres', () => {
  const postgres = testPostgres();
  /** If it left something behind in a connection, the next statement would not find it. */
  const pooled = (): PostgresAdapter =>
    createPgAdapter(worstPooler(postgres.pool), { clock: 'caller' });

  testSessionStore({
    name: 'postgres behind a transaction pooler',
    capabilities,
    create: async () => {
      await postgres.clear();
      const adapter = pooled();
      return {
        store: storeOf(adapter),
        streams: new PostgresStreamManager(adapter),
        reopen: async () => storeOf(pooled()),
        openSecond: async () => storeOf(pooled()),
        openOnServerClock: async () => storeOf(createPgAdapter(worstPooler(postgres.pool))),
        close: async () => {},
      };
    },
  });

  testStateStore({
    name: 'postgres with prepared statements',
    capabilities,
    create: async () => {
      await postgres.clear();
      const open = (): PostgresStateStore =>
        new PostgresStateStore(createPgAdapter(postgres.pool, { prepared: true, clock: 'caller' }));
      return { store: open(), openSecond: async () => open(), close: async () => {} };
    },
  });

  testStreamManager({
    name: 'postgres behind a transaction pooler',
    capabilities,
    create: async () => {
      await postgres.clear();
      const open = (): PostgresStreamManager => new PostgresStreamManager(pooled(), { pollMs: 5 });
      return {
        streams: open(),
        reopen: async () => open(),
        openSecond: async () => open(),
        close: async () => {},
      };
    },
  });

  testUsageStore({
    name: 'postgres',
    create: async () => {
      await postgres.clear();
      const adapter = createPgAdapter(postgres.pool, { clock: 'caller' });
      return {
        usage: new PostgresUsageStore(adapter),
        sessions: new PostgresStateStore(adapter).sessions,
        close: async () => {},
      };
    },
  });
});

/** Hands each statement to a connection that was wiped before. */
function worstPooler(pool: pg.Pool): PgClient {
  return {
    async query(text, values) {
      const client = await pool.connect();
      try {
        await client.query('discard all');
        return await client.query(text, values);
      } finally {
        client.release();
      }
    },
  };
}

function storeOf(
  adapter: PostgresAdapter,
): PostgresStateStore['sessions'] & PostgresStateStore['index'] {
  const { sessions, index } = new PostgresStateStore(adapter);
  return { ...sessions, ...index };
}
