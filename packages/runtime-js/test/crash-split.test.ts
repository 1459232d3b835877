import { splitHost, testCrashes } from '@helix-agents/testing';
import { InMemoryStreamManager } from '@helix-agents/store-memory';
import { JSAgentExecutor } from '../src/index.ts';
import { memoryDatabase } from './worlds.ts';

testCrashes({
  name: 'runtime-js, a database per session',
  apart: true,
  stride: 3,
  create: async ({ now }) => {
    const { databases, index } = splitHost({
      newDatabase: memoryDatabase,
      seed: 1,
      lostReplies: 0,
    });
    const sessions = databases.of({ rootId: 's1', sessionId: 's1' });
    const streamManager = new InMemoryStreamManager({ now });
    return { stateStore: { sessions, index }, streamManager, databases, close: async () => {} };
  },
  start: ({ seams, ...parts }) =>
    new JSAgentExecutor({ ...parts, seams: { ...seams, shareMemory: false } }),
});
