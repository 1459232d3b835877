import type { OpenCallRow, SessionRow } from '@helix-agents/core';
import { isTop, topRef } from '@helix-agents/core/store';
import type { DueWork, SessionIndex, SessionRef } from '@helix-agents/core/store';
import { inputsOf, isPurgeableInput } from './inputs.ts';
import type { MemoryDatabase, RootCalls } from './memory-database.ts';
import { isOverdue, isPurgeable, isRemindable } from './open-calls.ts';

export function findDue(
  database: MemoryDatabase,
  { now, hostKind, limit, except = [] }: Parameters<SessionIndex['findDue']>[0],
): DueWork {
  const leftOut = new Set(except);
  const calls = dueByCalls(database, now);
  const sessions = dueBySessions(database, now, hostKind);
  const purgeable = [...calls.purgeableTops, ...topsWithOldInputs(database, now)];
  const some = <Row extends SessionRef>(rows: readonly Row[]): readonly Row[] =>
    rows.filter(({ sessionId }) => !leftOut.has(sessionId)).slice(0, limit);
  return {
    overdueTops: some(calls.overdueTops),
    deadTops: some(sessions.deadTops),
    remindableTops: some(calls.remindableTops),
    answeredTops: some(calls.answeredTops),
    wakeableTops: some(sessions.wakeableTops),
    unreportedTops: some(sessions.unreportedTops),
    closing: findClosing(database)
      .filter(({ parent }) => !leftOut.has(parent.rootId))
      .slice(0, limit),
    purgeableTops: some([...new Map(purgeable.map((top) => [top.sessionId, top])).values()]),
  };
}

type CallWork = 'overdueTops' | 'remindableTops' | 'answeredTops' | 'purgeableTops';

function dueByCalls(database: MemoryDatabase, now: number): Pick<DueWork, CallWork> {
  const overdueTops: SessionRef[] = [];
  const remindableTops: SessionRef[] = [];
  const answeredTops: SessionRow[] = [];
  const purgeableTops: SessionRef[] = [];
  for (const { top, live, settled } of unitsWithCalls(database)) {
    if (live.some((row) => isOverdue(row, now))) overdueTops.push(top);
    if (live.some((row) => isRemindable(row, now))) remindableTops.push(top);
    if (settled.some((row) => isPurgeable(row, now))) purgeableTops.push(top);
    const session = database.sessions.get(top.sessionId);
    if (session && isAnswered(session, live)) answeredTops.push(session);
  }
  answeredTops.sort((a, b) => a.updatedAt - b.updatedAt);
  return { overdueTops, remindableTops, answeredTops, purgeableTops };
}

interface UnitCalls extends Readonly<Record<keyof RootCalls, readonly OpenCallRow[]>> {
  readonly top: SessionRef;
}

function* unitsWithCalls({ calls }: MemoryDatabase): Generator<UnitCalls> {
  for (const { live, settled } of calls.values()) {
    const rows = [...live.values(), ...settled.values()];
    for (const ofUnit of Map.groupBy(rows, ({ unitId }) => unitId).values()) {
      const isSettled = Map.groupBy(ofUnit, ({ state }) => state === 'settled');
      const top = topRef(ofUnit[0] as OpenCallRow);
      yield { top, live: isSettled.get(false) ?? [], settled: isSettled.get(true) ?? [] };
    }
  }
}

type SessionWork = 'deadTops' | 'wakeableTops' | 'unreportedTops';

function dueBySessions(
  database: MemoryDatabase,
  now: number,
  hostKind: string,
): Pick<DueWork, SessionWork> {
  const tops = [...database.sessions.values()].filter(isTop);
  // The longest dead come first: a session that dies at every recovery moves to the end and does not starve the others.
  const deadTops = tops
    .filter((row) => isDead(row, now, hostKind))
    .sort((a, b) => (a.leaseUntil ?? a.updatedAt) - (b.leaseUntil ?? b.updatedAt));
  const wakeableTops = tops
    .filter((row) => isWakeable(row, now))
    .sort((a, b) => (a.wakeAt ?? 0) - (b.wakeAt ?? 0));
  const unreportedTops = tops
    .filter((row) => row.reported !== null && row.reported < row.ends)
    .sort((a, b) => a.updatedAt - b.updatedAt);
  return { deadTops, wakeableTops, unreportedTops };
}

function findClosing(database: MemoryDatabase): DueWork['closing'] {
  const closing: DueWork['closing'][number][] = [];
  for (const { rootId, sessionId } of database.sessions.values()) {
    for (const reference of database.tables.get(sessionId)?.references.values() ?? []) {
      if (reference.state !== 'closing') continue;
      closing.push({ parent: { rootId, sessionId }, subSessionId: reference.subSessionId });
    }
  }
  return closing;
}

function topsWithOldInputs(database: MemoryDatabase, now: number): SessionRef[] {
  return [...database.sessions.values()]
    .filter((row) => inputsOf(database, row).some((input) => isPurgeableInput(input, now)))
    .map(({ rootId, sessionId }) => ({ rootId, sessionId }));
}

function isDead(row: SessionRow, now: number, hostKind: string): boolean {
  if (row.status !== 'running') return false;
  const leaseIsOver = row.leaseUntil !== null && row.leaseUntil <= now;
  return leaseIsOver || (row.hostKind === hostKind && !row.started);
}

function isWakeable(row: SessionRow, now: number): boolean {
  if (row.wakeAt === null || row.wakeAt > now) return false;
  return row.status.startsWith('suspended_') || (row.status === 'completed' && !row.closed);
}

/** `live` are the open and answered calls of the whole unit. */
function isAnswered(row: SessionRow, live: readonly OpenCallRow[]): boolean {
  return (
    row.status.startsWith('suspended_') &&
    row.error === null &&
    live.length > 0 &&
    live.every((call) => call.state === 'answered')
  );
}
