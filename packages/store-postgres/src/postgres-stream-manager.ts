import { DefinitionError } from '@helix-agents/core';
import { SqlStreamStore } from '@helix-agents/store-sql';
import type { PostgresAdapter } from './adapter.ts';
import { createStreamHints, type PgListenPool, type StreamHints } from './stream-hints.ts';
import { createPgStreamWrites } from './stream-writes.ts';

export interface PostgresStreamOptions {
  readonly now?: () => number;
  /**
   * Where readers listen for what other processes write: a `pg` Pool with a direct connection, of which one is
   * taken while there are readers: the pool of the stores must have another one. Without it they hear their own process at once, and others by polling.
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
    if (listen) assertAnotherIsLeft(database, listen);
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

/** Nothing else could be asked of the database while somebody reads. */
function assertAnotherIsLeft({ client }: PostgresAdapter, listen: PgListenPool): void {
  const isShared = (client as unknown) === listen;
  if (!isShared || (listen.options?.max ?? Infinity) > 1) return;
  throw new DefinitionError(
    '`listen` keeps one connection while somebody reads, and this pool has no other: ' +
      'raise its `max` to at least 2, or listen on a pool of its own.',
  );
}
