import type { SessionRow } from '@helix-agents/core';
import type {
  CallUpdate,
  CommitPlan,
  CommitRemovals,
  CommitUpdates,
  InputUpdate,
  SessionUpdate,
  StreamWrite,
} from '@helix-agents/core/store';
import { frozenCopy } from '@helix-agents/core/store';
import { guardsHold } from './check-guards.ts';
import { copyRows, keysAreFree, writeRows } from './insertions.ts';
import type { MemoryDatabase, SessionTables } from './memory-database.ts';
import { findCall, putCall, streamOf } from './memory-database.ts';

/**
 * Applies a plan whole, or nothing and gives false. Everything is checked, and what will be stored is copied, before the first write;
 * writing cannot fail. What is only compared is not copied, because nothing else runs in between.
 */
export function applyPlan(database: MemoryDatabase, plan: CommitPlan): boolean {
  const rows = plan.insert ? copyRows(plan.insert) : NOTHING;
  const update = plan.update ? copyUpdates(plan.update) : NOTHING;
  const stream = plan.stream && frozenCopy(plan.stream);
  if (!guardsHold(database, plan) || !keysAreFree(database, rows, plan.remove)) return false;
  const sessions = (plan.sessions ?? NONE).map((change) => changedSession(database, change));
  if (plan.remove) removeRows(database, plan.remove);
  writeRows(database, rows);
  updateRows(database, update);
  for (const row of sessions) database.sessions.set(row.sessionId, row);
  if (stream) writeStream(database, stream);
  return true;
}

function writeStream(database: MemoryDatabase, { streamId, entries, close }: StreamWrite): void {
  const stream = streamOf(database, streamId);
  stream.setStatus('active');
  stream.append(entries);
  if (close) stream.setStatus(close.as);
}

/** Empty lists, which most steps have many of, are not copied. */
function copyUpdates({ calls, references, runs, inputs }: CommitUpdates): CommitUpdates {
  return {
    calls: calls?.length ? frozenCopy(calls) : NONE,
    references: references?.length ? frozenCopy(references) : NONE,
    runs: runs?.length ? frozenCopy(runs) : NONE,
    inputs: inputs?.length ? frozenCopy(inputs) : NONE,
  };
}

const NOTHING = {};
const NONE: readonly never[] = [];

function changedSession(
  database: MemoryDatabase,
  { sessionId, set, raise }: SessionUpdate,
): SessionRow {
  const row = database.sessions.get(sessionId) as SessionRow;
  return Object.freeze({
    ...row,
    ...(set && frozenCopy(set)),
    version: row.version + (raise?.version ? 1 : 0),
    records: row.records + (raise?.records ? 1 : 0),
  });
}

/** An update of an absent row does nothing, as in SQL; a plan that requires the row has a guard. */
function updateRows(database: MemoryDatabase, update: CommitUpdates): void {
  for (const change of update.calls ?? []) updateCall(database, change);
  for (const { sessionId, subSessionId, set } of update.references ?? []) {
    const references = database.tables.get(sessionId)?.references;
    const row = references?.get(subSessionId);
    if (row) references?.set(subSessionId, Object.freeze({ ...row, ...set }));
  }
  for (const { runId, set } of update.runs ?? []) {
    const row = database.runs.get(runId);
    if (row) database.runs.set(runId, Object.freeze({ ...row, ...set }));
  }
  for (const change of update.inputs ?? []) updateInput(database, change);
}

function updateCall(database: MemoryDatabase, { key, set, onlyIf }: CallUpdate): void {
  const row = findCall(database, key);
  if (!row || (onlyIf !== undefined && row.state !== onlyIf)) return;
  putCall(database, Object.freeze({ ...row, ...set }));
}

function updateInput(
  { tables }: MemoryDatabase,
  { sessionId, inputId, set, onlyIf }: InputUpdate,
): void {
  const inputs = tables.get(sessionId)?.inputs;
  const row = inputs?.get(inputId);
  if (!inputs || !row || (onlyIf !== undefined && row.state !== onlyIf)) return;
  inputs.set(inputId, Object.freeze({ ...row, ...set }));
}

function removeRows(database: MemoryDatabase, remove: CommitRemovals): void {
  for (const { sessionId, stepId } of remove.journal ?? []) {
    database.tables.get(sessionId)?.journal.delete(stepId);
  }
  for (const { sessionId, runId } of remove.interrupts ?? []) {
    database.tables.get(sessionId)?.interrupts.delete(runId);
  }
  for (const { sessionId, sequence } of remove.messagesAfter ?? []) {
    const tables = database.tables.get(sessionId);
    if (tables) cutMessages(tables, sequence);
  }
  for (const { sessionId, version } of remove.checkpointsAfter ?? []) {
    database.tables.get(sessionId)?.checkpoints.dropAfter(version);
  }
}

function cutMessages({ messages, messageIds }: SessionTables, sequence: number): void {
  messages.dropAfter(sequence);
  for (const [id, number] of messageIds) if (number > sequence) messageIds.delete(id);
}
