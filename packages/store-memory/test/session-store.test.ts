import {
  createMemorySessionStore,
  InMemoryStreamManager,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { testSessionStore } from '@helix-agents/testing';

testSessionStore({
  name: 'memory',
  create: async () => {
    const database = new MemoryDatabase();
    return {
      store: createMemorySessionStore(database),
      streams: new InMemoryStreamManager({ database }),
      close: async () => database.clear(),
    };
  },
  capabilities: { shared: false, persistent: false, serverClock: false, carriesStreams: true },
});
