import { createHash } from 'node:crypto';
import type { RedisClient } from './client.ts';

/** A Lua script that runs as one write. It is sent by its hash; a server that does not know it yet is sent the text. */
export interface Script {
  /** What its arguments are put behind, for `send`. All keys it touches are in the slot of `key`. */
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
  return {
    begin: (key) => [hash, '1', key],
    send,
    run: (client, key, args) => send(client, [hash, '1', key, ...args]),
  };
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
