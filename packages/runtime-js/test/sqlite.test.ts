import { testRuntime } from '@helix-agents/testing';
import { openSqlite } from '@helix-agents/store-sqlite';
import { worldOver } from './worlds.ts';

testRuntime({
  name: 'js over SQLite',
  create: async () => {
    const { stateStore, streamManager, usageStore, close } = openSqlite(':memory:', { pollMs: 5 });
    return worldOver({
      databases: { of: () => stateStore.sessions },
      index: stateStore.index,
      streams: streamManager,
      usage: usageStore,
      close: async () => close(),
    });
  },
});
