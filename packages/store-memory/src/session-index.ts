import { callFits, sessionFits } from '@helix-agents/core/store';
import type { OpenCallFilter, OpenCallRow, SessionFilter, SessionRow } from '@helix-agents/core';
import type { ListPosition, SessionIndex } from '@helix-agents/core/store';
import { findDue } from './find-due.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { comparePositions, pageOf } from './page.ts';

/** Scans all rows: they are in memory. */
export function memorySessionIndex(database: MemoryDatabase): SessionIndex {
  return {
    async findRoot(sessionId) {
      return database.sessions.get(sessionId)?.rootId ?? null;
    },
    async listSessions(filter = {}) {
      const found = [...database.sessions.values()].filter((row) => sessionFits(row, filter));
      found.sort((a, b) => comparePositions(sessionPosition(a), sessionPosition(b), true));
      return pageOf(found, sessionPosition, { ids: 1, ...cutOf(filter), descending: true });
    },
    async listOpenCalls(filter = {}) {
      const found = [...liveCalls(database)].filter((row) => callFits(row, filter));
      found.sort((a, b) => comparePositions(callPosition(a), callPosition(b), false));
      return pageOf(found, callPosition, { ids: 3, ...cutOf(filter) });
    },
    async findDue(input) {
      return findDue(database, input);
    },
  };
}

function cutOf(filter: SessionFilter | OpenCallFilter): { limit?: number; cursor?: string } {
  return {
    ...(filter.limit !== undefined && { limit: filter.limit }),
    ...(filter.cursor !== undefined && { cursor: filter.cursor }),
  };
}

function sessionPosition(row: SessionRow): ListPosition {
  return [row.updatedAt, row.sessionId];
}

function callPosition(row: OpenCallRow): ListPosition {
  return [row.openedAt, row.rootId, row.toolCallId, row.part];
}

function* liveCalls(database: MemoryDatabase): Generator<OpenCallRow> {
  for (const calls of database.calls.values()) yield* calls.live.values();
}
