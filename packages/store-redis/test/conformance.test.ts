import { describeServer } from '@helix-agents/test-servers';
import {
  testLockManager,
  testSessionStore,
  testStateStore,
  testStreamManager,
  testUsageStore,
} from '@helix-agents/testing';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { sharedServerUrl } from '@helix-agents/test-servers';
import { RedisLockManager } from '../src/index.ts';
import { openSpace } from './connections.ts';

const capabilities = { shared: true, persistent: true };

describeServer('redis', () => {
  testSessionStore({
    name: 'redis',
    capabilities,
    create: async () => {
      const space = await openSpace();
      const first = space.open();
      return {
        store: first.store,
        streams: first.streamManager,
        openSecond: async () => space.open().store,
        reopen: async () => {
          first.close();
          return space.open().store;
        },
        close: () => space.close(),
      };
    },
  });

  testStateStore({
    name: 'redis',
    capabilities,
    create: async () => {
      const space = await openSpace();
      return {
        store: space.open().stateStore,
        openSecond: async () => space.open().stateStore,
        close: () => space.close(),
      };
    },
  });

  testStreamManager({
    name: 'redis',
    capabilities,
    create: async () => {
      const space = await openSpace();
      const first = space.open();
      return {
        streams: first.streamManager,
        openSecond: async () => space.open().streamManager,
        reopen: async () => {
          first.close();
          return space.open().streamManager;
        },
        close: () => space.close(),
      };
    },
  });

  testUsageStore({
    name: 'redis',
    create: async () => {
      const space = await openSpace();
      const { usageStore, stateStore } = space.open();
      return { usage: usageStore, sessions: stateStore.sessions, close: () => space.close() };
    },
  });

  testLockManager({
    name: 'redis',
    ttlMs: 200,
    create: async () => {
      const space = await openSpace();
      const client = new Redis(await sharedServerUrl('redis'));
      return {
        locks: new RedisLockManager(client, { prefix: space.prefix }),
        // Time is the server's, so it has to pass.
        advance: (ms) => wait(ms),
        close: async () => {
          client.disconnect();
          await space.close();
        },
      };
    },
  });
});
