import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { describeServer } from '@helix-agents/test-servers';
import { testClocksApart } from '@helix-agents/testing';
import { openSpace } from './connections.ts';

describeServer('redis', () => {
  testClocksApart({
    name: 'js over Redis',
    create: async () => {
      const space = await openSpace();
      return { ...space.open('server'), close: space.close };
    },
    start: (parts) => new JSAgentExecutor(parts),
  });
});
