import type { LockManager } from '@helix-agents/core';
import { toLockMs, type LockLease } from '@helix-agents/core/store';
import type { RedisClient } from './client.ts';
import type { RedisOptions } from './database.ts';
import { withFormat } from './format.ts';
import { createKeys, encodeId, type Keys } from './keys.ts';
import { createScript, createSendingNames } from './script.ts';

/**
 * ARGV: 1 key of the token counter, 2 sending, 3 milliseconds. Returns the token, or nil when somebody else holds the lock. All locks of
 * a partition share a counter: tokens only have to rise, and released locks leave nothing behind.
 */
const acquire = createScript(`
local held = redis.call('GET', KEYS[1])
if held then
  local token, sending = string.match(held, '^(%d+) (.*)$')
  return sending == ARGV[2] and tonumber(token) or nil
end
local token = redis.call('INCR', ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', token) .. ' ' .. ARGV[2], 'PX', ARGV[3])
return token
`);

/** ARGV: 1 the value of the lock while it is ours, 2 milliseconds. */
const renew = createScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);

const release = createScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`);

/** Locks between processes, which expire by the clock of the server. */
export class RedisLockManager implements LockManager {
  readonly #client: RedisClient;
  readonly #keys: Keys;
  readonly #newSending = createSendingNames();

  constructor(client: RedisClient, options: Pick<RedisOptions, 'prefix'> = {}) {
    const prefix = options.prefix ?? 'agent';
    this.#client = withFormat(client, prefix);
    this.#keys = createKeys(prefix);
  }

  async acquire(key: string, { ttlMs }: { readonly ttlMs: number }): Promise<LockLease | null> {
    const area = this.#keys.areaOf(key);
    const place = `${area}:lock:${encodeId(key)}`;
    const sending = this.#newSending();
    const args = [`${area}:lock-tokens`, sending, toLockMs(ttlMs)];
    const token = (await acquire.run(this.#client, place, args)) as number | null;
    if (token === null) return null;
    const held = `${token} ${sending}`;
    return {
      key,
      token,
      renew: async (ms) => (await renew.run(this.#client, place, [held, toLockMs(ms)])) === 1,
      release: async () => (await release.run(this.#client, place, [held])) === 1,
    };
  }
}
