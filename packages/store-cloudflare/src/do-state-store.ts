import { SessionStateStoreFacade } from '@helix-agents/core/state-store';
import { createSqlSessionStore } from '@helix-agents/store-sql';
import { connectObject, type ObjectStoreOptions } from './object-connection.ts';

/** Sessions in the SQLite of a Durable Object: as many as the object holds, such as a tree of sessions. */
export class DOStateStore extends SessionStateStoreFacade {
  constructor(options: ObjectStoreOptions) {
    const { driver, database } = connectObject(options);
    const store = createSqlSessionStore(driver, { database });
    super({ sessions: store, index: store });
  }
}
