import type {
  DueWork,
  JsonValue,
  OpenCallFilter,
  OpenCallRow,
  SessionFilter,
  SessionIndex,
  SessionRow,
} from '@helix-agents/core';
import type { MemoryDatabase } from './memory-database.ts';
import { isOverdue, isPurgeable } from './open-calls.ts';
import type { Position } from './page.ts';
import { comparePositions, pageOf } from './page.ts';

/** Looks at every row: what one process holds in memory it can also walk over. */
export function memorySessionIndex(database: MemoryDatabase): SessionIndex {
  return {
    async listSessions(filter = {}) {
      const found = [...database.sessions.values()].filter((row) => sessionFits(row, filter));
      found.sort((a, b) => comparePositions(sessionPosition(a), sessionPosition(b), true));
      return pageOf(found, sessionPosition, { ...cutOf(filter), descending: true });
    },
    async listOpenCalls(filter = {}) {
      const found = [...liveCalls(database)].filter((row) => callFits(row, filter));
      found.sort((a, b) => comparePositions(callPosition(a), callPosition(b), false));
      return pageOf(found, callPosition, cutOf(filter));
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

function sessionPosition(row: SessionRow): Position {
  return [row.updatedAt, row.sessionId];
}

function callPosition(row: OpenCallRow): Position {
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
    (filter.rootId === undefined || filter.rootId === row.rootId) &&
    (filter.userId === undefined || filter.userId === row.userId) &&
    (filter.kind === undefined || filter.kind === row.kind) &&
    (filter.toolName === undefined || filter.toolName === row.toolName)
  );
}

function findDue(
  database: MemoryDatabase,
  input: { readonly now: number; readonly hostKind: string; readonly limit: number },
): DueWork {
  const { now, hostKind, limit } = input;
  const overdueRoots: string[] = [];
  const purgeableRoots: string[] = [];
  for (const [rootId, calls] of database.calls) {
    if (some(calls.live.values(), (row) => isOverdue(row, now))) overdueRoots.push(rootId);
    if (some(calls.settled.values(), (row) => isPurgeable(row, now))) purgeableRoots.push(rootId);
  }
  const deadRoots: SessionRow[] = [];
  const closing: DueWork['closing'][number][] = [];
  for (const row of database.sessions.values()) {
    if (isDeadRoot(row, now, hostKind)) deadRoots.push(row);
    for (const reference of database.tables.get(row.sessionId)?.references.values() ?? []) {
      if (reference.state !== 'closing') continue;
      const parent = { rootId: row.rootId, sessionId: row.sessionId };
      closing.push({ parent, subSessionId: reference.subSessionId });
    }
  }
  // The longest dead first: one that dies at every recovery moves back and starves nobody.
  deadRoots.sort((a, b) => (a.leaseUntil ?? a.updatedAt) - (b.leaseUntil ?? b.updatedAt));
  return {
    overdueRoots: overdueRoots.slice(0, limit),
    deadRoots: deadRoots.slice(0, limit),
    closing: closing.slice(0, limit),
    purgeableRoots: purgeableRoots.slice(0, limit),
  };
}

function isDeadRoot(row: SessionRow, now: number, hostKind: string): boolean {
  if (row.sessionId !== row.rootId || row.status !== 'running') return false;
  const leaseIsOver = row.leaseUntil !== null && row.leaseUntil <= now;
  return leaseIsOver || (row.hostKind === hostKind && !row.started);
}

function some<T>(rows: Iterable<T>, test: (row: T) => boolean): boolean {
  for (const row of rows) if (test(row)) return true;
  return false;
}
