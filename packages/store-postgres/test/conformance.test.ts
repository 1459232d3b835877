import { describeServer } from '@helix-agents/test-servers';
import {
  testSessionStore,
  testStateStore,
  testStreamManager,
  testUsageStore,
} from '@helix-agents/testing';
import {
  createPgAdapter,
  PostgresStateStore,
  PostgresStreamManager,
  PostgresUsageStore,
  type PostgresAdapter,
} from '../src/index.ts';
import { testPostgres } from './database.ts';

const capabilities = { shared: true, persistent: true };

describeServer('postgres', () => {
  const postgres = testPostgres();

  testSessionStore({
    name: 'postgres',
    capabilities,
    create: async () => {
      await postgres.clear();
      const adapter = createPgAdapter(postgres.pool);
      return {
        store: storeOf(adapter),
        streams: new PostgresStreamManager(adapter),
        reopen: async () => storeOf(postgres.connect()),
        openSecond: async () => storeOf(postgres.connect()),
        close: () => postgres.close(),
      };
    },
  });

  testStateStore({
    name: 'postgres, prepared',
    capabilities,
    create: async () => {
      await postgres.clear();
      return {
        store: new PostgresStateStore(postgres.connect({ prepared: true })),
        openSecond: async () => new PostgresStateStore(postgres.connect({ prepared: true })),
        close: () => postgres.close(),
      };
    },
  });

  testStreamManager({
    name: 'postgres',
    capabilities,
    create: async () => {
      await postgres.clear();
      const open = (adapter: PostgresAdapter): PostgresStreamManager =>
        new PostgresStreamManager(adapter, { pollMs: 5 });
      return {
        streams: open(createPgAdapter(postgres.pool)),
        reopen: async () => open(postgres.connect()),
        openSecond: async () => open(postgres.connect()),
        close: () => postgres.close(),
      };
    },
  });

  testUsageStore({
    name: 'postgres',
    create: async () => {
      await postgres.clear();
      const adapter = createPgAdapter(postgres.pool);
      return {
        usage: new PostgresUsageStore(adapter),
        sessions: new PostgresStateStore(adapter).sessions,
        close: () => postgres.close(),
      };
    },
  });
});

function storeOf(
  adapter: PostgresAdapter,
): PostgresStateStore['sessions'] & PostgresStateStore['index'] {
  const { sessions, index } = new PostgresStateStore(adapter);
  return { ...sessions, ...index };
}
