import type { LockManager } from '@helix-agents/core';
import { toLockMs, type LockLease } from '@helix-agents/core/store';
import { POSTGRES_NOW as now } from '@helix-agents/store-sql';
import type { PostgresAdapter } from './adapter.ts';

/** The row of a free lock stays, so that tokens keep rising. */
const acquire = `insert into __agents_locks as l (lock_key, token, expires_at)
  values (?1, 1, ${now} + ?2::bigint)
  on conflict (lock_key) do update set token = l.token + 1, expires_at = excluded.expires_at
    where l.expires_at <= ${now}
  returning l.token`;

const held = `lock_key = ?1 and token = ?2::bigint and expires_at > ${now}`;
const renew = `update __agents_locks set expires_at = ${now} + ?3::bigint where ${held} returning 1`;
const release = `update __agents_locks set expires_at = 0 where ${held} returning 1`;

/**
 * Locks as rows that expire, for users' own work. They expire by the clock of the server, so the clocks of holders may differ. No
 * connection holds them, so that they work behind any pooler.
 */
export class PostgresLockManager implements LockManager {
  readonly #driver: PostgresAdapter['driver'];

  constructor({ driver }: PostgresAdapter) {
    this.#driver = driver;
  }

  async acquire(key: string, options: { readonly ttlMs: number }): Promise<LockLease | null> {
    const ttlMs = toLockMs(options.ttlMs);
    const [row] = await this.#driver.all({ sql: acquire, params: [key, ttlMs] });
    if (row === undefined) return null;
    const token = Number(row['token']);
    const change = async (sql: string, ...more: readonly number[]): Promise<boolean> =>
      (await this.#driver.all({ sql, params: [key, token, ...more] })).length > 0;
    return {
      key,
      token,
      renew: async (ms) => change(renew, toLockMs(ms)),
      release: () => change(release),
    };
  }
}
