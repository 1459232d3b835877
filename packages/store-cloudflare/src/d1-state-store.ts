import { SessionStateStoreFacade } from '@helix-agents/core/state-store';
import { createSqlSessionStore } from '@helix-agents/store-sql';
import { checkD1Options, connectD1, type D1Options } from './d1-connection.ts';

/** Sessions in a D1 database, which any number of Workers may share. Every read and write is on the primary. */
export class D1StateStore extends SessionStateStoreFacade {
  constructor(options: D1Options) {
    checkD1Options(options);
    const store = createSqlSessionStore(connectD1(options).driver);
    super({ sessions: store, index: store });
  }
}
