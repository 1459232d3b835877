import { describeServer } from '@helix-agents/test-servers';
import { testClocksApart } from '@helix-agents/testing';
import { openSpace } from './connections.ts';
import { openWorldIn } from './worlds.ts';

describeServer('redis', () => {
  testClocksApart({
    name: 'js over Redis',
    create: async () => openWorldIn(await openSpace(), 'server'),
  });
});
