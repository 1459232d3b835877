import { SessionStateStoreFacade } from '@helix-agents/core/state-store';
import { MemoryDatabase } from './memory-database.ts';
import { createMemorySessionStore } from './session-store.ts';

/** The sessions of one process, lost when it ends. */
export class InMemoryStateStore extends SessionStateStoreFacade {
  readonly database: MemoryDatabase;

  constructor(options: { readonly database?: MemoryDatabase } = {}) {
    const database = options.database ?? new MemoryDatabase();
    const store = createMemorySessionStore(database);
    super({ sessions: store, index: store });
    this.database = database;
  }

  /** Deletes everything, including streams and usage of the same database. */
  clear(): void {
    this.database.clear();
  }

  getAllSessionIds(): string[] {
    return [...this.database.sessions.keys()];
  }
}
