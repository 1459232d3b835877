import type { SessionStore } from './session-store.ts';

/** A `SessionStore` where a `relaxed` plan need not wait for the disk. */
export interface RelaxedCommits {
  /**
   * Resolves when what was committed before survives a loss of power: a later commit waited for the disk, or the store did so
   * by itself meanwhile. Keeps nobody else waiting.
   */
  flush(): Promise<void>;
}

/** Whether plans of this store may be `relaxed`. */
export function canRelax(
  store: SessionStore & Partial<RelaxedCommits>,
): store is SessionStore & RelaxedCommits {
  return store.flush !== undefined;
}
