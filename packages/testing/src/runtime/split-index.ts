import type { OpenCallRow, SessionRow, StateStore, UsageStore } from '@helix-agents/core';
import type { UsageEntry } from '@helix-agents/core/store';
import {
  rollupUsage,
  writeCursor,
  type DueWork,
  type SessionRef,
  type SessionIndex,
} from '@helix-agents/core/store';

type Databases = ReadonlyMap<string, StateStore & { readonly usage: UsageStore }>;

/** One index over databases that hold a session each. Calls count at their root only: the others are copies. */
export function splitIndex(databases: Databases): SessionIndex {
  return {
    async findRoot(sessionId) {
      return (await databases.get(sessionId)?.index.findRoot(sessionId)) ?? null;
    },
    async listSessions(filter = {}) {
      const { limit = 100 } = filter;
      const found: SessionRow[] = [];
      for (const { index } of databases.values())
        found.push(...(await index.listSessions(filter)).items);
      found.sort((a, b) => b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? -1 : 1));
      const items = found.slice(0, limit);
      // A cursor is a position, so it holds in every database.
      const last = found.length > limit ? items.at(-1) : undefined;
      return { items, cursor: last ? writeCursor([last.updatedAt, last.sessionId]) : null };
    },
    async listOpenCalls(filter = {}) {
      const { cursor: _cursor, limit = 100, ...rest } = filter;
      const items: OpenCallRow[] = [];
      for (const [sessionId, { index }] of databases) {
        const { items: found } = await index.listOpenCalls(rest);
        items.push(...found.filter((row) => row.rootId === sessionId));
      }
      items.sort((a, b) => a.openedAt - b.openedAt);
      return { items: items.slice(0, limit), cursor: null };
    },
    async findDue(input) {
      const due = {
        overdueTops: [],
        deadTops: [],
        remindableTops: [],
        answeredTops: [],
        wakeableTops: [],
        unreportedTops: [],
        closing: [],
        purgeableTops: [],
      } as Mutable<DueWork>;
      for (const [sessionId, { index }] of databases) {
        const found = await index.findDue(input);
        const here = (top: SessionRef): boolean => top.sessionId === sessionId;
        due.overdueTops.push(...found.overdueTops.filter(here));
        due.purgeableTops.push(...found.purgeableTops.filter(here));
        due.remindableTops.push(...found.remindableTops.filter(here));
        due.answeredTops.push(...found.answeredTops);
        due.wakeableTops.push(...found.wakeableTops);
        due.unreportedTops.push(...found.unreportedTops);
        due.deadTops.push(...found.deadTops);
        due.closing.push(...found.closing);
      }
      return due;
    },
  };
}

type Mutable<T> = {
  -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key];
};

/** Usage of a session and of all below it, which its database does not know. */
export function splitUsage(databases: Databases): UsageStore {
  const below = async (sessionId: string): Promise<UsageEntry[]> => {
    const entries: UsageEntry[] = [];
    for (const [id, { index, usage }] of databases) {
      const [session] = (await index.listSessions({ rootsOnly: false })).items;
      if (id === sessionId || session?.route.includes(sessionId))
        entries.push(...(await usage.getEntries(id)));
    }
    return entries;
  };
  const at = (sessionId: string): UsageStore | undefined => databases.get(sessionId)?.usage;
  return {
    recordEntry: async (entry) => at(entry.sessionId)?.recordEntry(entry),
    getEntries: async (sessionId, filter) =>
      (await at(sessionId)?.getEntries(sessionId, filter)) ?? [],
    getRollup: async (sessionId) => rollupUsage(await below(sessionId)),
  };
}
