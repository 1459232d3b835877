import type { SessionIndex, SessionStore } from '@helix-agents/core';
import { MemoryDatabase } from './memory-database.ts';
import { createMemorySessionStore } from './session-store.ts';

/** The state of all sessions of one process. It is gone when the process ends. */
export class InMemoryStateStore {
  readonly database: MemoryDatabase;
  readonly sessions: SessionStore;
  readonly index: SessionIndex;

  constructor(options: { readonly database?: MemoryDatabase } = {}) {
    this.database = options.database ?? new MemoryDatabase();
    const store = createMemorySessionStore(this.database);
    this.sessions = store;
    this.index = store;
  }

  /** Forgets everything, streams and usage of the same database included. */
  clear(): void {
    this.database.clear();
  }

  getAllSessionIds(): string[] {
    return [...this.database.sessions.keys()];
  }
}
