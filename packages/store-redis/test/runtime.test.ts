import { describeServer } from '@helix-agents/test-servers';
import { testRuntime } from '@helix-agents/testing';
import { openSpace } from './connections.ts';
import { openWorldIn } from './worlds.ts';

describeServer('redis', () => {
  testRuntime({ name: 'js over Redis', open: async () => openWorldIn(await openSpace()) });
});
