import { SqlStreamStore } from '@helix-agents/store-sql';
import type { PostgresAdapter } from './adapter.ts';
import { createStreamHints, type PgListenPool, type StreamHints } from './stream-hints.ts';
import { createPgStreamWrites } from './stream-writes.ts';

export interface PostgresStreamOptions {
  readonly now?: () => number;
  /**
   * Where readers listen for what other processes write: a `pg` Pool with a direct connection, of which one is
   * taken while there are readers. Without it they hear their own process at once, and others by polling.
   */
  readonly listen?: PgListenPool;
  /**
   * Whether writes tell listening processes; by default if this one listens. Set it where a process writes
   * through a pooler, and so cannot listen itself.
   */
  readonly hint?: boolean;
  /** How often a waiting reader looks, hint or not; 100 by default, 1000 with `listen`. */
  readonly pollMs?: number;
}

/** Durable chunk logs in a Postgres database, which any number of processes may write and follow. */
export class PostgresStreamManager extends SqlStreamStore {
  readonly #hints: StreamHints | undefined;

  constructor(database: PostgresAdapter, options: PostgresStreamOptions = {}) {
    const { driver, notifier } = database;
    const { listen, hint = listen !== undefined, pollMs = listen ? 1_000 : 100, now } = options;
    const hints = hint || listen ? createStreamHints(notifier, driver, listen) : undefined;
    super(driver, {
      database,
      notifier: hints ?? notifier,
      pollMs,
      writes: createPgStreamWrites(driver),
      ...(now && { now }),
    });
    this.#hints = hints;
  }

  /** Ends all readers and gives the listening connection back. */
  close(): void {
    this.closeReaders();
    this.#hints?.close();
  }
}
