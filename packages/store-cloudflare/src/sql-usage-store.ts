import type { UsageRollup, UsageStore } from '@helix-agents/core';
import type { UsageEntry, UsageKind } from '@helix-agents/core/store';
import { createSqlUsageStore, type SqlDriver } from '@helix-agents/store-sql';

/** The usage store of a driver as a class. */
export class SqlUsageStore implements UsageStore {
  readonly #store: UsageStore;

  constructor(driver: SqlDriver) {
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
