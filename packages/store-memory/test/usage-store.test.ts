import {
  createMemorySessionStore,
  InMemoryUsageStore,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { testUsageStore } from '@helix-agents/testing';

testUsageStore({
  name: 'memory',
  create: async () => {
    const database = new MemoryDatabase();
    return {
      usage: new InMemoryUsageStore({ database }),
      sessions: createMemorySessionStore(database),
      close: async () => database.clear(),
    };
  },
});
