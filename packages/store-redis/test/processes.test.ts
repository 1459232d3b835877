import { describeServer } from '@helix-agents/test-servers';
import { testStoreProcesses } from '@helix-agents/testing';
import { openSpace } from './connections.ts';

describeServer('redis', () => {
  testStoreProcesses({
    name: 'redis',
    nodeArgs: ['--conditions=@helix-agents/source'],
    program: new URL('./children/store-process.ts', import.meta.url),
    create: async () => {
      const space = await openSpace();
      const { stateStore, streamManager } = space.open();
      return { stateStore, streamManager, args: [space.url, space.prefix], close: space.close };
    },
  });
});
