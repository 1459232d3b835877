import { noopLogger } from '@helix-agents/core';
import type { Cluster, Redis } from 'ioredis';
import { RedisStateStore, RedisStreamManager, RedisUsageStore } from '../src/index.ts';

type State = RedisStateStore['sessions'] & RedisStateStore['index'];

/** Stores over one connection. */
export interface Connection {
  readonly stateStore: RedisStateStore;
  readonly streamManager: RedisStreamManager;
  readonly usageStore: RedisUsageStore;
  readonly store: State;
  readonly close: () => void;
}

/** Rows have the times they are given, which are those of the suites. */
export function overClient(client: Redis | Cluster, prefix: string): Connection {
  const options = { prefix, clock: 'caller', logger: noopLogger } as const;
  const stateStore = new RedisStateStore(client, options);
  const streamManager = new RedisStreamManager(client, options);
  return {
    stateStore,
    streamManager,
    usageStore: new RedisUsageStore(client, options),
    store: { ...stateStore.sessions, ...stateStore.index },
    close() {
      streamManager.close();
      client.disconnect();
    },
  };
}
