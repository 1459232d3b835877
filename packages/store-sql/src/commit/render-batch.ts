import type { CommitPlan, CommitUpdates, StreamWrite } from '@helix-agents/core';
import type { Statement } from '../driver.ts';
import { encodeFields } from '../rows/column.ts';
import * as tables from '../rows/tables.ts';
import { renderCarried } from '../stream/carried-write.ts';
import { renderRemovals } from './removals.ts';
import { CALL_KEY, RUN_KEY } from './resume-updates.ts';
import { insertInto, updateOf, type Gate } from './row-statements.ts';
import {
  renderGuardedInsert,
  renderGuardedUpdate,
  renderOtherUpdates,
} from './session-statements.ts';

/**
 * A commit as one atomic batch.
 *
 * I1. The first statement carries every guard and changes one row if they hold, else none.
 * I2. The others look for `writeId` on that row, so they do nothing when it missed. Without one the driver has to see to it.
 * I3. `writeId` is fresh per attempt, also when a plan is tried again: a stamp of an earlier
 *     attempt must not open the gate.
 * I4. The text of a statement depends on its table and on "few rows or many", never on their number; that of the first
 *     one, for the engine's common commits, on which columns and how few calls it names.
 */
export function renderBatch(plan: CommitPlan, writeId: string | null = plan.commitId): Statement[] {
  const [update, ...otherUpdates] = plan.sessions ?? [];
  const inserted = plan.insert?.sessions ?? [];
  if (update !== undefined) {
    const gate = writeId === null ? null : { sessionId: update.sessionId, writeId };
    return [
      renderGuardedUpdate(plan, update, writeId),
      ...renderOtherUpdates(otherUpdates, gate),
      ...insertSessions(inserted, gate),
      ...renderRows(plan, gate),
    ];
  }
  const [insert, ...otherInserts] = inserted;
  if (insert === undefined) {
    throw new TypeError('a commit plan updates or inserts at least one session');
  }
  const gate = writeId === null ? null : { sessionId: insert.sessionId, writeId };
  return [
    renderGuardedInsert(plan, insert, writeId),
    ...insertSessions(otherInserts, gate),
    ...renderRows(plan, gate),
  ];
}

const insertSessions = insertInto(tables.sessions);
const insertMessages = insertInto(tables.messages);
const insertJournal = insertInto(tables.journal);
const insertCalls = insertInto(tables.openCalls);
const insertReferences = insertInto(tables.references);
const insertCheckpoints = insertInto(tables.checkpoints);
const insertRuns = insertInto(tables.runs);
const insertUsage = insertInto(tables.usage);

const updateCalls = updateOf(tables.openCalls, CALL_KEY);
const updateReferences = updateOf(tables.references, ['session_id', 'sub_session_id']);
const updateRuns = updateOf(tables.runs, RUN_KEY);

function renderRows(
  { insert = {}, update = {}, remove = {}, stream, now }: CommitPlan,
  gate: Gate,
): Statement[] {
  return [
    ...renderRemovals(remove, gate),
    ...renderUpdates(update, gate),
    ...insertMessages(insert.messages, gate),
    ...insertJournal(insert.journal, gate),
    ...insertCalls(insert.calls, gate),
    ...insertReferences(insert.references, gate),
    ...insertCheckpoints(insert.checkpoints, gate),
    ...insertRuns(insert.runs, gate),
    ...insertUsage(insert.usage, gate),
    ...renderStream(stream, now, gate),
  ];
}

function renderStream(stream: StreamWrite | undefined, now: number, gate: Gate): Statement[] {
  if (!stream) return [];
  if (gate) throw new TypeError('only a driver that can stop carries writes to streams');
  return renderCarried(stream, now);
}

function renderUpdates(update: CommitUpdates, gate: Gate): Statement[] {
  const calls = (update.calls ?? []).map(({ key, set, onlyIf }) => ({
    ...encodeFields(tables.openCalls, { ...set, ...key }),
    only_if: onlyIf ?? null,
  }));
  const references = (update.references ?? []).map(({ sessionId, subSessionId, set }) =>
    encodeFields(tables.references, { ...set, sessionId, subSessionId }),
  );
  const runs = (update.runs ?? []).map(({ runId, set }) =>
    encodeFields(tables.runs, { ...set, runId }),
  );
  return [
    ...updateCalls(calls, gate),
    ...updateReferences(references, gate),
    ...updateRuns(runs, gate),
  ];
}
