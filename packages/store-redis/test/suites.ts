import {
  testLockManager,
  testSessionStore,
  testStateStore,
  testStreamManager,
  testUsageStore,
} from '@helix-agents/testing';
import { setTimeout as wait } from 'node:timers/promises';
import type { Space } from './connections.ts';

const capabilities = { shared: true, persistent: true, serverClock: true };

/** Every suite for stores, on keys of its own for each test. */
export function testStores(name: string, openSpace: () => Promise<Space>): void {
  testSessionStore({
    name,
    capabilities,
    create: async () => {
      const { open, close } = await openSpace();
      const first = open();
      return {
        store: first.store,
        streams: first.streamManager,
        openSecond: async () => open().store,
        openOnServerClock: async () => open('server').store,
        reopen: async () => {
          first.close();
          return open().store;
        },
        close,
      };
    },
  });

  testStateStore({
    name,
    capabilities,
    create: async () => {
      const { open, close } = await openSpace();
      return { store: open().stateStore, openSecond: async () => open().stateStore, close };
    },
  });

  testStreamManager({
    name,
    capabilities,
    create: async () => {
      const { open, close } = await openSpace();
      const first = open();
      return {
        streams: first.streamManager,
        openSecond: async () => open().streamManager,
        reopen: async () => {
          first.close();
          return open().streamManager;
        },
        close,
      };
    },
  });

  testUsageStore({
    name,
    create: async () => {
      const { open, close } = await openSpace();
      const { usageStore, stateStore } = open();
      return { usage: usageStore, sessions: stateStore.sessions, close };
    },
  });

  testLockManager({
    name,
    ttlMs: 200,
    create: async () => {
      const { open, close } = await openSpace();
      // Time is the server's, so it has to pass.
      return { locks: open().lockManager, advance: (ms) => wait(ms), close };
    },
  });
}
