/**
 * Locks for users' own work, across processes. The engine does not use them: a session is protected
 * by the lease and epoch in its row.
 */
export interface LockManager {
  /**
   * Null if the key is held already. The lease frees itself after `ttlMs` unless it is renewed; a `ttlMs` that is not
   * above 0, or has no end, is an `InvalidRequestError` (`toLockMs`).
   */
  acquire(key: string, options: { readonly ttlMs: number }): Promise<LockLease | null>;
}

export interface LockLease {
  readonly key: string;
  /** Fencing token: rises with every acquisition of the key. Pass it to the resource that the lock protects. */
  readonly token: number;
  /** False when the lease was lost meanwhile; then nothing changes. `ttlMs` as in `acquire`. */
  renew(ttlMs: number): Promise<boolean>;
  /** False when the lease was lost meanwhile; it never frees the lock of a later holder. */
  release(): Promise<boolean>;
}

/** Grants everything to everyone. For one process, or where the caller has its own coordination. */
export class NoOpLockManager implements LockManager {
  #token = 0;

  async acquire(key: string): Promise<LockLease> {
    this.#token += 1;
    return {
      key,
      token: this.#token,
      renew: async () => true,
      release: async () => true,
    };
  }
}
