import { SqlStreamStore } from '@helix-agents/store-sql';
import {
  connect,
  type SqliteConnection,
  type SqliteOptions,
  type SqliteSource,
} from './connection.ts';

/** Streams in one SQLite file. Readers in this process are notified at once; those in other processes poll every `pollMs`. */
export class SqliteStreamManager extends SqlStreamStore {
  readonly #connection: SqliteConnection;

  constructor(source: SqliteSource, options: SqliteOptions = {}) {
    const connection = connect(source, options);
    super(connection.driver, {
      database: connection.database,
      notifier: connection.notifier,
      ...(options.now && { now: options.now }),
      ...(options.pollMs !== undefined && { pollMs: options.pollMs }),
    });
    this.#connection = connection;
  }

  /** Ends all readers, and closes the file if this object opened it. */
  close(): void {
    this.closeReaders();
    this.#connection.close();
  }
}
