import { SessionStateStoreFacade } from '@helix-agents/core/state-store';
import { createSqlSessionStore } from '@helix-agents/store-sql';
import {
  connect,
  type SqliteConnection,
  type SqliteOptions,
  type SqliteSource,
} from './connection.ts';

/** Sessions in one SQLite file, which any number of processes may share. */
export class SqliteStateStore extends SessionStateStoreFacade {
  readonly #connection: SqliteConnection;

  constructor(source: SqliteSource, options: SqliteOptions = {}) {
    const connection = connect(source, options);
    const { driver, database } = connection;
    const store = createSqlSessionStore(driver, { database });
    super({ sessions: store, index: store });
    this.#connection = connection;
  }

  /** Closes the file if this object opened it. */
  close(): void {
    this.#connection.close();
  }
}
