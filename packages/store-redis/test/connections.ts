import { randomUUID } from 'node:crypto';
import { sharedServerUrl } from '@helix-agents/test-servers';
import { Redis, type Cluster } from 'ioredis';
import { overClient, type Connection } from './over-client.ts';

/** Keys of its own on the run's server, and as many connections to them as are opened. */
export interface Space {
  readonly url: string;
  readonly prefix: string;
  readonly open: () => Connection;
  readonly close: () => Promise<void>;
}

export async function openSpace(): Promise<Space> {
  const url = await sharedServerUrl('redis');
  const space = openSpaceOver(() => new Redis(url), url);
  return {
    ...space,
    async close() {
      await space.close();
      await deleteKeys(url, space.prefix);
    },
  };
}

/** Leaves its keys behind: for servers that end with the test file. */
export function openSpaceOver(connect: () => Redis | Cluster, url: string): Space {
  const prefix = `t-${randomUUID()}`;
  const opened: Connection[] = [];
  return {
    url,
    prefix,
    open() {
      const connection = overClient(connect(), prefix);
      opened.push(connection);
      return connection;
    },
    async close() {
      for (const connection of opened) connection.close();
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
