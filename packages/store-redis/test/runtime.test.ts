import { describeServer } from '@helix-agents/test-servers';
import { testRuntime } from '@helix-agents/testing';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { openSpace } from './connections.ts';

describeServer('redis', () => {
  testRuntime({
    name: 'js over Redis',
    create: async () => {
      const space = await openSpace();
      const { stateStore, streamManager, usageStore } = space.open();
      return {
        databases: { of: () => stateStore.sessions },
        index: stateStore.index,
        streams: streamManager,
        usage: usageStore,
        newExecutor: ({ databases, wrapOperations, ...parts }) =>
          new JSAgentExecutor({ ...parts, seams: { databases, wrapOperations } }),
        close: () => space.close(),
      };
    },
  });
});
