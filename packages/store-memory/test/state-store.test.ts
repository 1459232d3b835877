import { InMemoryStateStore } from '@helix-agents/store-memory';
import { testStateStore } from '@helix-agents/testing';

testStateStore({
  name: 'memory',
  create: async () => {
    const store = new InMemoryStateStore();
    return { store, close: async () => store.clear() };
  },
  capabilities: { shared: false },
});
