import type { LockManager } from '@helix-agents/core';
import { toLockMs, type LockLease } from '@helix-agents/core/store';

interface Holder {
  readonly token: number;
  readonly until: number;
}

/** Locks between parts of one process. */
export class InMemoryLockManager implements LockManager {
  readonly #now: () => number;
  readonly #holders = new Map<string, Holder>();
  /** One counter for all keys: tokens only have to rise, and released keys can be forgotten. */
  #lastToken = 0;

  constructor(options: { readonly now?: () => number } = {}) {
    this.#now = options.now ?? Date.now;
  }

  async acquire(key: string, options: { readonly ttlMs: number }): Promise<LockLease | null> {
    const ms = toLockMs(options.ttlMs);
    const held = this.#holders.get(key);
    if (held && held.until > this.#now()) return null;
    this.#lastToken += 1;
    const token = this.#lastToken;
    this.#holders.set(key, { token, until: this.#now() + ms });
    return {
      key,
      token,
      renew: async (ttlMs) => {
        const more = toLockMs(ttlMs);
        if (!this.#isHeldBy(key, token)) return false;
        this.#holders.set(key, { token, until: this.#now() + more });
        return true;
      },
      release: async () => this.#isHeldBy(key, token) && this.#holders.delete(key),
    };
  }

  /** An expired lease is lost, also when nobody else has taken the lock. */
  #isHeldBy(key: string, token: number): boolean {
    const held = this.#holders.get(key);
    return held?.token === token && held.until > this.#now();
  }
}
