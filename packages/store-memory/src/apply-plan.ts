import type {
  CommitPlan,
  CommitRemovals,
  CommitUpdates,
  SessionRow,
  SessionUpdate,
} from '@helix-agents/core';
import { guardsHold } from './check-guards.ts';
import { keysAreFree, writeRows } from './insertions.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { findCall, putCall } from './memory-database.ts';

/** All of a frozen plan, or nothing and false. First everything is looked at; writing cannot fail. */
export function applyPlan(database: MemoryDatabase, plan: CommitPlan): boolean {
  const { insert = {} } = plan;
  if (!guardsHold(database, plan) || !keysAreFree(database, insert)) return false;
  if (plan.remove) removeRows(database, plan.remove);
  writeRows(database, insert);
  if (plan.update) updateRows(database, plan.update);
  for (const update of plan.sessions ?? []) updateSession(database, update);
  return true;
}

function updateSession(database: MemoryDatabase, update: SessionUpdate): void {
  const row = database.sessions.get(update.sessionId) as SessionRow;
  const next = Object.freeze({
    ...row,
    ...update.set,
    version: row.version + (update.raise?.version ? 1 : 0),
    records: row.records + (update.raise?.records ? 1 : 0),
  });
  database.sessions.set(row.sessionId, next);
}

/** An update of a row that is not there does nothing, as in SQL; a plan that minds has a guard. */
function updateRows(database: MemoryDatabase, update: CommitUpdates): void {
  for (const { key, set, onlyIf } of update.calls ?? []) {
    const row = findCall(database, key);
    if (row && (onlyIf === undefined || row.state === onlyIf)) {
      putCall(database, Object.freeze({ ...row, ...set }));
    }
  }
  for (const { sessionId, subSessionId, set } of update.references ?? []) {
    const references = database.tables.get(sessionId)?.references;
    const row = references?.get(subSessionId);
    if (row) references?.set(subSessionId, Object.freeze({ ...row, ...set }));
  }
  for (const { runId, set } of update.runs ?? []) {
    const row = database.runs.get(runId);
    if (row) database.runs.set(runId, Object.freeze({ ...row, ...set }));
  }
}

function removeRows(database: MemoryDatabase, remove: CommitRemovals): void {
  for (const { sessionId, stepId } of remove.journal ?? []) {
    database.tables.get(sessionId)?.journal.delete(stepId);
  }
  for (const { sessionId, runId } of remove.interrupts ?? []) {
    database.tables.get(sessionId)?.interrupts.delete(runId);
  }
  for (const { sessionId, sequence } of remove.messagesAfter ?? []) {
    database.tables.get(sessionId)?.messages.dropAfter(sequence);
  }
  for (const { sessionId, version } of remove.checkpointsAfter ?? []) {
    database.tables.get(sessionId)?.checkpoints.dropAfter(version);
  }
}
