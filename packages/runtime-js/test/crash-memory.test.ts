import { testCrashes } from '@helix-agents/testing';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { JSAgentExecutor } from '../src/index.ts';

testCrashes({
  name: 'runtime-js on memory, streams elsewhere',
  create: async ({ now }) => ({
    stateStore: new InMemoryStateStore(),
    streamManager: new InMemoryStreamManager({ now }),
    close: async () => {},
  }),
  start: (parts) => new JSAgentExecutor(parts),
});

testCrashes({
  name: 'runtime-js on memory',
  create: async ({ now }) => {
    const stateStore = new InMemoryStateStore();
    const { database } = stateStore;
    const streamManager = new InMemoryStreamManager({ database, now });
    return { stateStore, streamManager, close: async () => {} };
  },
  start: (parts) => new JSAgentExecutor(parts),
});
