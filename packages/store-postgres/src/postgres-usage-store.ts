import type { UsageRollup, UsageStore } from '@helix-agents/core';
import type { UsageEntry } from '@helix-agents/core/store';
import type { UsageKind } from '@helix-agents/core/store';
import { createSqlUsageStore } from '@helix-agents/store-sql';
import type { PostgresAdapter } from './adapter.ts';

/** Usage in a Postgres database. In the database of the session store it also has the entries of the engine. */
export class PostgresUsageStore implements UsageStore {
  readonly #store: UsageStore;

  constructor({ driver }: PostgresAdapter) {
    this.#store = createSqlUsageStore(driver);
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
}
