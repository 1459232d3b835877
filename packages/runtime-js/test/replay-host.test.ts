import { replayHost, testRuntime } from '@helix-agents/testing';
import { memoryWorld } from './worlds.ts';

testRuntime({
  name: 'js, replayed after every operation',
  create: async () => memoryWorld(replayHost()),
});
