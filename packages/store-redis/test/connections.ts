import { randomUUID } from 'node:crypto';
import { createRedisSpace } from '@helix-agents/test-servers';
import { Redis, type Cluster } from 'ioredis';
import { overClient, type Connection } from './over-client.ts';

/** Keys of its own on the run's server, and as many connections to them as are opened. */
export interface Space {
  readonly url: string;
  readonly prefix: string;
  readonly open: (clock?: 'server' | 'caller') => Connection;
  readonly close: () => Promise<void>;
}

export async function openSpace(): Promise<Space> {
  const keys = await createRedisSpace();
  const { url, prefix } = keys;
  const space = openSpaceOver(() => new Redis(url), url, prefix);
  return {
    ...space,
    async close() {
      await space.close();
      await keys.drop();
    },
  };
}

/** Leaves its keys behind: for servers that end with the test file. */
export function openSpaceOver(
  connect: () => Redis | Cluster,
  url: string,
  prefix: string = `t-${randomUUID()}`,
): Space {
  const opened: Connection[] = [];
  return {
    url,
    prefix,
    open(clock) {
      const connection = overClient(connect(), prefix, clock);
      opened.push(connection);
      return connection;
    },
    async close() {
      for (const connection of opened) connection.close();
    },
  };
}
