import { InMemoryStreamManager } from '@helix-agents/store-memory';
import { testRuntime } from '@helix-agents/testing';
import { memoryWorld } from './worlds.ts';

testRuntime({ name: 'js over memory', create: async () => memoryWorld({}) });

testRuntime({
  name: 'js over memory, streams elsewhere',
  create: async () => ({ ...memoryWorld({}), streams: new InMemoryStreamManager() }),
});
