import type {
  JsonValue,
  ListPosition,
  OpenCallFilter,
  OpenCallRow,
  SessionFilter,
  SessionIndex,
  SessionRow,
} from '@helix-agents/core';
import { findDue } from './find-due.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { comparePositions, pageOf } from './page.ts';

/** Looks at every row: what one process holds in memory it can also walk over. */
export function memorySessionIndex(database: MemoryDatabase): SessionIndex {
  return {
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

function sessionFits(row: SessionRow, filter: SessionFilter): boolean {
  return (
    (filter.rootsOnly === false || row.sessionId === row.rootId) &&
    (filter.status === undefined || filter.status.includes(row.status)) &&
    (filter.agentType === undefined || filter.agentType === row.agentType) &&
    (filter.userId === undefined || filter.userId === row.userId) &&
    (filter.tags ?? []).every((tag) => row.tags.includes(tag)) &&
    Object.entries(filter.metadata ?? {}).every(
      ([key, value]) =>
        value === undefined ||
        (Object.hasOwn(row.metadata, key) && sameJson(row.metadata[key], value)),
    )
  );
}

function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && sameJson(value, right.get(key)))
  );
}

function callFits(row: OpenCallRow, filter: OpenCallFilter): boolean {
  return (
    row.state === 'open' &&
    (filter.rootSessionId === undefined || filter.rootSessionId === row.rootId) &&
    (filter.userId === undefined || filter.userId === row.userId) &&
    (filter.agentType === undefined || filter.agentType === row.ownerAgentType) &&
    (filter.kind === undefined || filter.kind === row.kind) &&
    (filter.toolName === undefined || filter.toolName === row.toolName) &&
    (filter.dueBefore === undefined ||
      (row.deadlineAt !== null && row.deadlineAt < filter.dueBefore))
  );
}
