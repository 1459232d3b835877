import { createHash } from 'node:crypto';
import type { RedisClient } from './client.ts';

/** A Lua script that runs as one write. It is sent by its hash; a server that does not know it yet is sent the text. */
export interface Script {
  /** All keys it touches are in the slot of `key`. */
  run(client: RedisClient, key: string, args: readonly (string | number)[]): Promise<unknown>;
}

export function createScript(text: string): Script {
  const hash = createHash('sha1').update(text).digest('hex');
  return {
    async run(client, key, args) {
      try {
        return await client.call('EVALSHA', [hash, 1, key, ...args]);
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return client.call('EVAL', [text, 1, key, ...args]);
      }
    },
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
