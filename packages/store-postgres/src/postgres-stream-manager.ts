import { DefinitionError } from '@helix-agents/core';
import { SqlStreamStore } from '@helix-agents/store-sql';
import type { PostgresAdapter } from './adapter.ts';
import { createStreamHints, type PgListenPool, type StreamHints } from './stream-hints.ts';
import { createPgStreamWrites } from './stream-writes.ts';

export interface PostgresStreamOptions {
  readonly now?: () => number;
  /**
   * Where readers listen for chunks of other processes: a `pg` Pool with direct connections. One connection is used while there are
   * readers, so a pool shared with the stores needs another. Without `listen`, readers poll for chunks of other processes.
   */
  readonly listen?: PgListenPool;
  /**
   * Whether writes notify listening processes; by default if this one listens. Set it where a process writes through a pooler, and so
   * cannot listen itself.
   */
  readonly hint?: boolean;
  /** How often a waiting reader polls, notified or not; 100 by default, 1000 with `listen`. */
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

  /** Ends all readers and releases the listening connection. */
  close(): void {
    this.closeReaders();
    this.#hints?.close();
  }
}

/** With a shared pool of one connection, nothing else could run while there are readers. */
function assertAnotherIsLeft({ client }: PostgresAdapter, listen: PgListenPool): void {
  const isShared = (client as unknown) === listen;
  if (!isShared || (listen.options?.max ?? Infinity) > 1) return;
  throw new DefinitionError(
    '`listen` keeps one connection while somebody reads, and this pool has no other: ' +
      'raise its `max` to at least 2, or listen on a pool of its own.',
  );
}
