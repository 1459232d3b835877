import { noopLogger } from '@helix-agents/core';
import type { Cluster, Redis } from 'ioredis';
import { openRedis, type OpenedRedis } from '../src/index.ts';

type State = OpenedRedis['stateStore']['sessions'] & OpenedRedis['stateStore']['index'];

/** Stores over one connection, which they close. */
export interface Connection extends OpenedRedis {
  readonly store: State;
  readonly client: Redis | Cluster;
}

/** Rows have the times they are given, which are those of the suites, unless it says `server`. */
export function overClient(
  client: Redis | Cluster,
  prefix: string,
  clock: 'server' | 'caller' = 'caller',
): Connection {
  const opened = openRedis(client, { prefix, clock, logger: noopLogger });
  const { sessions, index } = opened.stateStore;
  return {
    ...opened,
    store: { ...sessions, ...index },
    client,
    close() {
      opened.close();
      client.disconnect();
    },
  };
}
