import type { CommitPlan, SessionGuard, SessionRow } from '@helix-agents/core';
import type { MemoryDatabase } from './memory-database.ts';
import { findCall, journalKey } from './memory-database.ts';

/** Whether every guard of the plan holds. Keys that must be free are looked at by the insertions. */
export function guardsHold(database: MemoryDatabase, plan: CommitPlan): boolean {
  return sessionsHold(database, plan) && rowsHold(database, plan);
}

function sessionsHold(database: MemoryDatabase, plan: CommitPlan): boolean {
  const { sessions } = database;
  return (
    (plan.sessions ?? []).every((update) => sessions.has(update.sessionId)) &&
    (plan.guard.sessions ?? []).every((guard) =>
      guard.absent
        ? !sessions.has(guard.sessionId)
        : sessionHolds(guard, sessions.get(guard.sessionId), plan.now),
    )
  );
}

function sessionHolds(guard: SessionGuard, row: SessionRow | undefined, now: number): boolean {
  if (!row) return false;
  return (
    same(guard.version, row.version) &&
    same(guard.epoch, row.epoch) &&
    same(guard.stepId, row.stepId) &&
    same(guard.records, row.records) &&
    (guard.status === undefined || guard.status.includes(row.status)) &&
    (guard.leaseExpired === undefined || row.leaseUntil === null || row.leaseUntil <= now)
  );
}

function same(expected: number | undefined, actual: number): boolean {
  return expected === undefined || expected === actual;
}

function rowsHold(database: MemoryDatabase, { guard }: CommitPlan): boolean {
  return (
    (guard.callsOpen ?? []).every((key) => findCall(database, key)?.state === 'open') &&
    (guard.calls ?? []).every(({ key, state, outcome }) => {
      const row = findCall(database, key);
      return row?.state === state && row.outcome === outcome;
    }) &&
    (guard.references ?? []).every(
      ({ sessionId, subSessionId, state }) =>
        database.tables.get(sessionId)?.references.get(subSessionId)?.state === state,
    ) &&
    (guard.journalAbsent ?? []).every(
      (key) => !database.tables.get(key.sessionId)?.journal.get(key.stepId)?.has(journalKey(key)),
    ) &&
    (guard.interruptsAbsent ?? []).every(
      ({ sessionId, runId }) => !database.tables.get(sessionId)?.interrupts.has(runId),
    )
  );
}
