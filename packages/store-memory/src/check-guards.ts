import type { SessionRow } from '@helix-agents/core';
import type { CommitPlan, SessionGuard } from '@helix-agents/core/store';
import type { MemoryDatabase } from './memory-database.ts';
import { findCall, journalKey } from './memory-database.ts';

/** Whether every guard of the plan holds. Unique keys are checked by the insertions. */
export function guardsHold(database: MemoryDatabase, plan: CommitPlan): boolean {
  return sessionsHold(database, plan) && rowsHold(database, plan);
}

function sessionsHold({ sessions }: MemoryDatabase, plan: CommitPlan): boolean {
  for (const { sessionId } of plan.sessions ?? []) if (!sessions.has(sessionId)) return false;
  for (const guard of plan.guard.sessions ?? []) {
    const row = sessions.get(guard.sessionId);
    if (guard.absent ? row !== undefined : !sessionHolds(guard, row, plan.now)) return false;
  }
  return true;
}

function sessionHolds(guard: SessionGuard, row: SessionRow | undefined, now: number): boolean {
  if (!row) return false;
  return (
    same(guard.version, row.version) &&
    same(guard.epoch, row.epoch) &&
    same(guard.stepId, row.stepId) &&
    same(guard.records, row.records) &&
    (guard.status === undefined || guard.status.includes(row.status)) &&
    (guard.closed === undefined || row.closed === guard.closed) &&
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
    ) &&
    (guard.interruptsPresent ?? []).every(({ sessionId, runId, scope }) => {
      const row = database.tables.get(sessionId)?.interrupts.get(runId);
      return row !== undefined && (scope === undefined || row.scope === scope);
    })
  );
}
