import type { OpenCallRow, SessionRow } from '@helix-agents/core';
import type { DueWork, SessionIndex } from '@helix-agents/core/store';
import type { MemoryDatabase } from './memory-database.ts';
import { isOverdue, isPurgeable, isRemindable } from './open-calls.ts';

export function findDue(
  database: MemoryDatabase,
  { now, hostKind, limit, except = [] }: Parameters<SessionIndex['findDue']>[0],
): DueWork {
  const leftOut = new Set(except);
  const calls = dueByCalls(database, now, leftOut);
  const sessions = dueBySessions(database, now, hostKind, leftOut);
  return {
    overdueRoots: calls.overdueRoots.slice(0, limit),
    deadRoots: sessions.deadRoots.slice(0, limit),
    remindableRoots: calls.remindableRoots.slice(0, limit),
    answeredRoots: calls.answeredRoots.slice(0, limit),
    closing: sessions.closing.slice(0, limit),
    purgeableRoots: calls.purgeableRoots.slice(0, limit),
  };
}

function dueByCalls(
  database: MemoryDatabase,
  now: number,
  leftOut: ReadonlySet<string>,
): Pick<DueWork, 'overdueRoots' | 'remindableRoots' | 'answeredRoots' | 'purgeableRoots'> {
  const overdueRoots: string[] = [];
  const remindableRoots: string[] = [];
  const answeredRoots: SessionRow[] = [];
  const purgeableRoots: string[] = [];
  for (const [rootId, { live, settled }] of database.calls) {
    if (leftOut.has(rootId)) continue;
    const rows = [...live.values()];
    if (rows.some((row) => isOverdue(row, now))) overdueRoots.push(rootId);
    if (rows.some((row) => isRemindable(row, now))) remindableRoots.push(rootId);
    if ([...settled.values()].some((row) => isPurgeable(row, now))) purgeableRoots.push(rootId);
    const root = database.sessions.get(rootId);
    if (root && isAnsweredRoot(root, rows)) answeredRoots.push(root);
  }
  answeredRoots.sort((a, b) => a.updatedAt - b.updatedAt);
  return { overdueRoots, remindableRoots, answeredRoots, purgeableRoots };
}

function dueBySessions(
  database: MemoryDatabase,
  now: number,
  hostKind: string,
  leftOut: ReadonlySet<string>,
): Pick<DueWork, 'deadRoots' | 'closing'> {
  const deadRoots: SessionRow[] = [];
  const closing: DueWork['closing'][number][] = [];
  for (const row of database.sessions.values()) {
    if (leftOut.has(row.rootId)) continue;
    if (isDeadRoot(row, now, hostKind)) deadRoots.push(row);
    for (const reference of database.tables.get(row.sessionId)?.references.values() ?? []) {
      if (reference.state !== 'closing') continue;
      const parent = { rootId: row.rootId, sessionId: row.sessionId };
      closing.push({ parent, subSessionId: reference.subSessionId });
    }
  }
  // The longest dead come first: a session that dies at every recovery moves to the end and does not starve the others.
  deadRoots.sort((a, b) => (a.leaseUntil ?? a.updatedAt) - (b.leaseUntil ?? b.updatedAt));
  return { deadRoots, closing };
}

function isDeadRoot(row: SessionRow, now: number, hostKind: string): boolean {
  if (row.sessionId !== row.rootId || row.status !== 'running') return false;
  const leaseIsOver = row.leaseUntil !== null && row.leaseUntil <= now;
  return leaseIsOver || (row.hostKind === hostKind && !row.started);
}

/** `live` are the open and answered calls of the whole tree. */
function isAnsweredRoot(row: SessionRow, live: readonly OpenCallRow[]): boolean {
  return (
    row.sessionId === row.rootId &&
    row.status.startsWith('suspended_') &&
    row.error === null &&
    live.length > 0 &&
    live.every((call) => call.state === 'answered')
  );
}
