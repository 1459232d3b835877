import {
  testLockManager,
  testSessionStore,
  testStateStore,
  testStreamManager,
  testUsageStore,
} from '@helix-agents/testing';
import { createKeys } from '../src/keys.ts';
import type { Space } from './connections.ts';
import type { Connection } from './over-client.ts';

const capabilities = { shared: true, persistent: true, serverClock: true, carriesStreams: true };

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
    ttlMs: 600_000,
    create: async () => {
      const { open, prefix, close } = await openSpace();
      const { lockManager, client } = open();
      return { locks: lockManager, advance: (ms) => moveEnd(client, prefix, ms), close };
    },
  });
}

/** Time is the server's: instead of it the end of the suite's lock is moved. */
async function moveEnd(client: Connection['client'], prefix: string, ms: number): Promise<void> {
  const place = `${createKeys(prefix).areaOf('k')}:lock:k`;
  const left = await client.pttl(place);
  if (left > ms) await client.pexpire(place, left - ms);
  else await client.del(place);
}
