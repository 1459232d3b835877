import { Redis } from 'ioredis';
import type { Space } from './connections.ts';

type Command = readonly [name: string, key: string, ...rest: string[]];

/** Stands for the prefix in a dump. */
const PREFIX = 'PREFIX';

/** The commands that make the same keys again, one per line. Times to live are left out. */
export async function dumpSpace({ url, prefix }: Space): Promise<string> {
  const client = new Redis(url);
  const keys = await client.keys(`${prefix}:*`);
  const lines: string[] = [];
  for (const key of keys.toSorted()) {
    const named = PREFIX + key.slice(prefix.length);
    for (const [name, ...rest] of await commandsFor(client, key))
      lines.push(JSON.stringify([name, named, ...rest]));
  }
  client.disconnect();
  return `${lines.join('\n')}\n`;
}

export async function restoreSpace({ url, prefix }: Space, dump: string): Promise<void> {
  const client = new Redis(url);
  for (const line of dump.trimEnd().split('\n')) {
    const [name, key, ...rest] = JSON.parse(line) as Command;
    await client.call(name, prefix + key.slice(PREFIX.length), ...rest);
  }
  client.disconnect();
}

async function commandsFor(client: Redis, key: string): Promise<string[][]> {
  const type = await client.type(key);
  switch (type) {
    case 'string':
      return [['SET', (await client.get(key)) ?? '']];
    case 'hash':
      return [['HSET', ...Object.entries(await client.hgetall(key)).flat()]];
    case 'list':
      return [['RPUSH', ...(await client.lrange(key, 0, -1))]];
    case 'set':
      return [['SADD', ...(await client.smembers(key))]];
    case 'zset':
      return [['ZADD', ...swapPairs(await pairsOf(client, key))]];
    case 'stream':
      return (await client.xrange(key, '-', '+')).map(([id, fields]) => ['XADD', id, ...fields]);
    default:
      throw new Error(`${key} is a ${type}: say how it is made`);
  }
}

/** As a flat list, whichever version of the protocol is spoken. */
async function pairsOf(client: Redis, key: string): Promise<string[]> {
  const found = await client.call('ZRANGE', key, '0', '-1', 'WITHSCORES');
  return (found as unknown[]).flat().map(String);
}

/** Members come before their scores when read, after them when written. */
function swapPairs(items: readonly string[]): string[] {
  return items.flatMap((member, index) =>
    index % 2 === 0 ? [items[index + 1] ?? '0', member] : [],
  );
}
