import { SqlStreamStore } from '@helix-agents/store-sql';
import { connectObject, type ObjectStoreOptions } from './object-connection.ts';

export interface DOStreamOptions extends ObjectStoreOptions {
  readonly now?: () => number;
}

/** Nobody else writes to the database of an object, so a reader is always notified; it looks now and then all the same. */
const POLL_MS = 5_000;

/** Chunk logs in the SQLite of a Durable Object. Readers are fed as soon as a chunk is written. */
export class DOStreamManager extends SqlStreamStore {
  constructor(options: DOStreamOptions) {
    const { driver, notifier, database } = connectObject(options, ['now']);
    const { now } = options;
    super(driver, { database, notifier, pollMs: POLL_MS, ...(now && { now }) });
  }

  /** Ends all readers. The streams do not change. */
  close(): void {
    this.closeReaders();
  }
}
