import type { UsageRollup, UsageStore } from '@helix-agents/core';
import type { UsageEntry } from '@helix-agents/core/store';
import type { UsageKind, UsageRow } from '@helix-agents/core/store';
import { rollupUsage, usageEntryFromRow, usageRowFromEntry } from '@helix-agents/core/store';
import type { RedisClient } from './client.ts';
import { openDatabase, type RedisDatabase, type RedisOptions } from './database.ts';
import { decodeId, encodeId } from './keys.ts';
import { readUsageScript, recordUsageScript } from './lua/usage.ts';
import { decodeUsage } from './rows/decode.ts';
import { toJson } from './rows/encode.ts';
import { noteRoot, notedRoot } from './session/locate.ts';

/** Usage in Redis. With the prefix of the state store it also has the entries of the engine. */
export class RedisUsageStore implements UsageStore {
  readonly #database: RedisDatabase;

  constructor(client: RedisClient, options: RedisOptions = {}) {
    // An entry keeps its own time.
    this.#database = openDatabase(client, { ...options, clock: 'caller' });
  }

  /** A known id is ignored, so that a repeated call counts once. */
  async recordEntry(entry: UsageEntry): Promise<void> {
    const { timestamp, ...body } = usageRowFromEntry(entry);
    await noteRoot(this.#database.client, this.#database.keys, entry);
    const args = [encodeId(entry.sessionId), encodeId(entry.id), timestamp, toJson(body)];
    await this.#database.onTree(recordUsageScript, entry.rootId, 0, args);
  }

  async getEntries(
    sessionId: string,
    filter: { readonly kinds?: readonly UsageKind[] } = {},
  ): Promise<readonly UsageEntry[]> {
    const sessions = await this.#sessionsAround(sessionId);
    const own = sessions.find((session) => session.sessionId === sessionId)?.usage ?? [];
    return own
      .filter((row) => filter.kinds === undefined || filter.kinds.includes(row.kind))
      .map(usageEntryFromRow);
  }

  async getRollup(sessionId: string): Promise<UsageRollup> {
    const sessions = await this.#sessionsAround(sessionId);
    const below = sessions.some(({ isRoot }) => isRoot) ? sessions : subtree(sessions, sessionId);
    return rollupUsage(below.flatMap(({ usage }) => usage).map(usageEntryFromRow));
  }

  /** The tree of a root, or the tree that contains this session. */
  async #sessionsAround(sessionId: string): Promise<readonly SessionUsage[]> {
    const own = await this.#readTree(sessionId);
    if (own.length > 0) return own.map((session) => ({ ...session, isRoot: true }));
    const rootId = await notedRoot(this.#database, sessionId);
    return rootId === sessionId ? [] : this.#readTree(rootId);
  }

  async #readTree(rootId: string): Promise<readonly SessionUsage[]> {
    type Found = [id: string, name: string | null, parent: string | null, entries: string[]];
    const found = (await this.#database.onTree(readUsageScript, rootId, 0)) as Found[];
    return found.map(([id, , parent, entries]) => ({
      sessionId: decodeId(id),
      parentSessionId: parent === null ? null : (JSON.parse(parent) as string),
      usage: decodeUsage(entries),
      isRoot: false,
    }));
  }
}

interface SessionUsage {
  readonly sessionId: string;
  readonly parentSessionId: string | null;
  readonly usage: readonly UsageRow[];
  /** The session is the root: everything in the tree is below it. */
  readonly isRoot: boolean;
}

function subtree(sessions: readonly SessionUsage[], sessionId: string): SessionUsage[] {
  const below = new Set([sessionId]);
  for (let size = 0; size !== below.size;) {
    size = below.size;
    for (const session of sessions) {
      if (session.parentSessionId !== null && below.has(session.parentSessionId)) {
        below.add(session.sessionId);
      }
    }
  }
  return sessions.filter((session) => below.has(session.sessionId));
}
