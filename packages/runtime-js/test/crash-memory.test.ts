import { testCrashes } from '../../testing/src/crash/test-crashes.ts';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { JSAgentExecutor } from '../src/index.ts';

testCrashes({
  name: 'runtime-js on memory',
  create: async ({ now }) => {
    const stateStore = new InMemoryStateStore();
    const { database } = stateStore;
    return {
      stateStore,
      streamManager: new InMemoryStreamManager({ database, now }),
      close: async () => {},
    };
  },
  start: (parts) => new JSAgentExecutor(parts),
});
