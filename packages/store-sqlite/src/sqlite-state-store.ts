import type { SessionIndex, SessionStore } from '@helix-agents/core';
import { createSqlSessionStore } from '@helix-agents/store-sql';
import {
  connect,
  type SqliteConnection,
  type SqliteOptions,
  type SqliteSource,
} from './connection.ts';

/** The state of sessions in one SQLite file, which any number of processes may share. */
export class SqliteStateStore {
  readonly sessions: SessionStore;
  readonly index: SessionIndex;
  readonly #connection: SqliteConnection;

  constructor(source: SqliteSource, options: SqliteOptions = {}) {
    this.#connection = connect(source, options);
    const store = createSqlSessionStore(this.#connection.driver);
    this.sessions = store;
    this.index = store;
  }

  /** Closes the file if this object opened it. */
  close(): void {
    this.#connection.close();
  }
}
