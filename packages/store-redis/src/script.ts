import { createHash } from 'node:crypto';
import type { RedisClient } from './client.ts';

/**
 * A Lua script that runs as one atomic write. It is sent by its hash, and as text to a server that does not know it yet.
 *
 * While a slot migrates between nodes of a cluster, key by key, neither node has all keys of a script: the old one would fail in the
 * middle of it, the new one would treat keys as absent. A node refuses, with TRYAGAIN, a command that names two keys of which one is
 * absent. So every script names a second key that never exists: it runs before or after the migration of the slot, never during it.
 */
export interface Script {
  /** The first arguments for `send`, to which the caller adds. All keys of the script are in the slot of `key`, which is KEYS[1]. */
  begin(key: string): ScriptArguments;
  send(client: RedisClient, args: ScriptArguments): Promise<unknown>;
  run(client: RedisClient, key: string, args: readonly (string | number)[]): Promise<unknown>;
}

export type ScriptArguments = (string | number)[];

export function createScript(text: string): Script {
  const hash = createHash('sha1').update(text).digest('hex');
  const send = async (client: RedisClient, args: ScriptArguments): Promise<unknown> => {
    try {
      return await client.call('EVALSHA', args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return client.call('EVAL', args.with(0, text));
    }
  };
  const begin = (key: string): ScriptArguments => [hash, '2', key, `${key}:never`];
  return { begin, send, run: (client, key, args) => send(client, [...begin(key), ...args]) };
}

/**
 * Makes ids for requests ("sendings"). A client may send a command again by itself after its connection broke; the script then finds
 * the stored id and does not write twice.
 */
export function createSendingNames(): () => string {
  const own = crypto.randomUUID().slice(0, 8);
  let count = 0;
  return () => `${own}${(count += 1).toString(36)}`;
}
