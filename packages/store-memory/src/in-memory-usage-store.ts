import type { UsageRollup, UsageStore } from '@helix-agents/core';
import type { UsageEntry } from '@helix-agents/core/store';
import type { UsageKind } from '@helix-agents/core/store';
import {
  frozenCopy,
  rollupUsage,
  usageEntryFromRow,
  usageRowFromEntry,
} from '@helix-agents/core/store';
import { subtree } from './delete-tree.ts';
import { addUsage, MemoryDatabase } from './memory-database.ts';

/** Usage in the memory of one process. Share the session store's database to see the engine's entries. */
export class InMemoryUsageStore implements UsageStore {
  readonly #database: MemoryDatabase;

  constructor(options: { readonly database?: MemoryDatabase } = {}) {
    this.#database = options.database ?? new MemoryDatabase();
  }

  /** An id that its session already has is ignored, so that a repeated call counts once. */
  async recordEntry(entry: UsageEntry): Promise<void> {
    if (this.#database.tables.get(entry.sessionId)?.usage.has(entry.id)) return;
    addUsage(this.#database, frozenCopy(usageRowFromEntry(entry)));
  }

  async getEntries(
    sessionId: string,
    filter: { readonly kinds?: readonly UsageKind[] } = {},
  ): Promise<readonly UsageEntry[]> {
    return this.#entriesOf(sessionId).filter(
      (entry) => filter.kinds === undefined || filter.kinds.includes(entry.kind),
    );
  }

  async getRollup(sessionId: string): Promise<UsageRollup> {
    return rollupUsage([...this.#below(sessionId)].flatMap((id) => this.#entriesOf(id)));
  }

  /** Descendants by their session rows; entries without a session row count for the root they name. */
  #below(sessionId: string): Set<string> {
    const rootId = this.#database.sessions.get(sessionId)?.rootId ?? sessionId;
    const ids = subtree(this.#database, { rootId, sessionId });
    if (rootId !== sessionId) return ids;
    for (const [id, tables] of this.#database.tables) {
      if ([...tables.usage.values()].some((row) => row.rootId === sessionId)) ids.add(id);
    }
    return ids;
  }

  #entriesOf(sessionId: string): UsageEntry[] {
    const rows = this.#database.tables.get(sessionId)?.usage.values() ?? [];
    return Array.from(rows, usageEntryFromRow);
  }
}
