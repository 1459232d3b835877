import type { UsageRollup, UsageStore } from '@helix-agents/core';
import type { UsageEntry } from '@helix-agents/core/store';
import type { UsageKind } from '@helix-agents/core/store';
import { createSqlUsageStore } from '@helix-agents/store-sql';
import {
  connect,
  type SqliteConnection,
  type SqliteOptions,
  type SqliteSource,
} from './connection.ts';

/** Usage in one SQLite file. In the file of the session store it also has the entries of the engine. */
export class SqliteUsageStore implements UsageStore {
  readonly #connection: SqliteConnection;
  readonly #store: UsageStore;

  constructor(source: SqliteSource, options: SqliteOptions = {}) {
    this.#connection = connect(source, options);
    this.#store = createSqlUsageStore(this.#connection.driver);
  }

  recordEntry(entry: UsageEntry): Promise<void> {
    return this.#store.recordEntry(entry);
  }

  getEntries(
    sessionId: string,
    filter?: { readonly kinds?: readonly UsageKind[] },
  ): Promise<readonly UsageEntry[]> {
    return this.#store.getEntries(sessionId, filter);
  }

  getRollup(sessionId: string): Promise<UsageRollup> {
    return this.#store.getRollup(sessionId);
  }

  /** Closes the file if this object opened it. */
  close(): void {
    this.#connection.close();
  }
}
