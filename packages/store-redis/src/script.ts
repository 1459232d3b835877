import { createHash } from 'node:crypto';
import type { RedisClient } from './client.ts';

/**
 * A Lua script that runs as one write. It is sent by its hash; a server that does not know it yet is sent the text.
 *
 * While a slot moves from one node of a cluster to another key by key, neither has all keys of a script: the old one fails
 * a script in its middle at the first key that is not there, the new one takes such a key for absent. A node refuses, with
 * TRYAGAIN, a command that names two keys of which one is absent. So a script names two, one of which never exists: it runs
 * before the slot moves and after it has, and never in between.
 */
export interface Script {
  /** What its arguments are put behind, for `send`. All keys it touches are in the slot of `key`, which is KEYS[1]. */
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
 * Names one sending of a write. A client may send a command again after its connection broke, without asking; the
 * script then finds the name and does not write twice.
 */
export function createSendingNames(): () => string {
  const own = crypto.randomUUID().slice(0, 8);
  let count = 0;
  return () => `${own}${(count += 1).toString(36)}`;
}
