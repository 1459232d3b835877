import { SessionStateStoreFacade } from '@helix-agents/core/state-store';
import { createSqlSessionStore } from '@helix-agents/store-sql';
import type { PostgresAdapter } from './adapter.ts';
import { createCommit } from './commit/commit.ts';

/** Sessions in a Postgres database, which any number of processes may share. */
export class PostgresStateStore extends SessionStateStoreFacade {
  constructor(database: PostgresAdapter) {
    const { driver, clock, groupCommits } = database;
    const store = {
      ...createSqlSessionStore(driver, { clock, database }),
      commit: createCommit(driver, clock, groupCommits),
    };
    super({ sessions: store, index: store });
  }
}
