import { noopLogger } from '@helix-agents/core';
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
  /** Nothing that a statement leaves behind in a connection is there for the next one, prepared statements included. */
  const pooled = (): PostgresAdapter =>
    createPgAdapter(worstPooler(postgres.pool), { clock: 'caller', logger: noopLogger });
  /** Connections of its own, which keep prepared statements. */
  const direct = (): PostgresAdapter => postgres.connect({ clock: 'caller' });

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
        openOnServerClock: async () =>
          storeOf(createPgAdapter(worstPooler(postgres.pool), { logger: noopLogger })),
        close: async () => {},
      };
    },
  });

  testSessionStore({
    name: 'postgres',
    capabilities,
    create: async () => {
      await postgres.clear();
      const adapter = direct();
      return {
        store: storeOf(adapter),
        streams: new PostgresStreamManager(adapter),
        reopen: async () => storeOf(direct()),
        openSecond: async () => storeOf(direct()),
        openOnServerClock: async () => storeOf(postgres.connect()),
        close: () => postgres.close(),
      };
    },
  });

  testStateStore({
    name: 'postgres',
    capabilities,
    create: async () => {
      await postgres.clear();
      const open = (): PostgresStateStore => new PostgresStateStore(direct());
      return { store: open(), openSecond: async () => open(), close: () => postgres.close() };
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
      const adapter = direct();
      return {
        usage: new PostgresUsageStore(adapter),
        sessions: new PostgresStateStore(adapter).sessions,
        close: () => postgres.close(),
      };
    },
  });
});

/** Hands each statement, named or not, to a connection that was wiped before. */
function worstPooler(pool: pg.Pool): PgClient & Pick<pg.Pool, 'connect'> {
  return {
    connect: pool.connect.bind(pool),
    async query(...statement: Parameters<PgClient['query']>) {
      const client = await pool.connect();
      try {
        await client.query('discard all');
        return await client.query(...statement);
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
