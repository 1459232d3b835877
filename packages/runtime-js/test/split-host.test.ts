import { splitHost, testRuntime } from '@helix-agents/testing';
import { InMemoryStreamManager } from '@helix-agents/store-memory';
import { memoryDatabase, worldOver } from './worlds.ts';

let seed = 0;

testRuntime({
  name: 'js, a database per session, operations repeated, replies lost',
  apart: true,
  create: async () => {
    seed += 1;
    const { seams, ...stores } = splitHost({ newDatabase: memoryDatabase, seed });
    const streams = new InMemoryStreamManager();
    return worldOver({ ...stores, streams, close: async () => {} }, seams);
  },
});
