import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { sharedServerUrl } from './shared-server.ts';

/** Keys of its own on the run's server. */
export interface RedisSpace {
  readonly url: string;
  readonly prefix: string;
  /** Deletes its keys. */
  readonly drop: () => Promise<void>;
}

export async function createRedisSpace(): Promise<RedisSpace> {
  const url = await sharedServerUrl('redis');
  const prefix = `t-${randomUUID()}`;
  return { url, prefix, drop: () => deleteKeys(url, prefix) };
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
