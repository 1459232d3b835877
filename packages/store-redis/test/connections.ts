import { randomUUID } from 'node:crypto';
import { noopLogger } from '@helix-agents/core';
import { sharedServerUrl } from '@helix-agents/test-servers';
import { Redis, type Cluster } from 'ioredis';
import { RedisStateStore, RedisStreamManager, RedisUsageStore } from '../src/index.ts';

type State = RedisStateStore['sessions'] & RedisStateStore['index'];

/** Stores over one connection. */
export interface Connection {
  readonly stateStore: RedisStateStore;
  readonly streamManager: RedisStreamManager;
  readonly usageStore: RedisUsageStore;
  readonly store: State;
  close(): void;
}

/** Keys of its own on the run's server, and as many connections to them as are opened. */
export interface Space {
  readonly prefix: string;
  open(): Connection;
  close(): Promise<void>;
}

export async function openSpace(): Promise<Space> {
  const url = await sharedServerUrl('redis');
  const prefix = `t-${randomUUID()}`;
  const opened: Connection[] = [];
  return {
    prefix,
    open() {
      const connection = overClient(new Redis(url), prefix);
      opened.push(connection);
      return connection;
    },
    async close() {
      for (const connection of opened) connection.close();
      await deleteKeys(url, prefix);
    },
  };
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

async function deleteKeys(url: string, prefix: string): Promise<void> {
  const client = new Redis(url);
  for (let cursor = '0'; ;) {
    const [next, keys] = await client.scan(cursor, 'MATCH', `${prefix}:*`, 'COUNT', 1_000);
    if (keys.length > 0) await client.unlink(...keys);
    cursor = next;
    if (cursor === '0') break;
  }
  client.disconnect();
}
