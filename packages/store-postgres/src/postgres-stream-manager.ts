import { SqlStreamStore } from '@helix-agents/store-sql';
import type { PostgresAdapter } from './adapter.ts';
import { createPgStreamWrites } from './stream-writes.ts';

export interface PostgresStreamOptions {
  readonly now?: () => number;
  /** How often a waiting reader looks for what other processes wrote; 100 by default. */
  readonly pollMs?: number;
}

/** Durable chunk logs in a Postgres database. */
export class PostgresStreamManager extends SqlStreamStore {
  constructor({ driver, notifier }: PostgresAdapter, options: PostgresStreamOptions = {}) {
    super(driver, { ...options, notifier, writes: createPgStreamWrites(driver) });
  }
}
