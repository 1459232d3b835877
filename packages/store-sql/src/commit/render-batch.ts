import type { CommitPlan, CommitUpdates } from '@helix-agents/core/store';
import type { Statement } from '../driver.ts';
import { encodeFields } from '../rows/column.ts';
import * as tables from '../rows/tables.ts';
import { renderCarried } from '../stream/carried-write.ts';
import { addRemovals } from './removals.ts';
import { insertInto, updateOf, type Gate, type UpdateItem } from './row-statements.ts';
import {
  renderGuardedInsert,
  renderGuardedUpdate,
  renderOtherUpdates,
} from './session-statements.ts';

/**
 * A commit as one atomic batch.
 *
 * I1. The first statement has every guard, and changes one row if they hold, otherwise none.
 * I2. All others look for `writeId` on that row, so that they do nothing after a miss. Without a `writeId` the driver must stop.
 * I3. `writeId` is new for each attempt, also when a plan is retried: the stamp of an earlier attempt must not open the gate.
 * I4. The text of a statement depends on its table and on "few rows or many", never on their number; the text of the first one may also
 *     depend on the columns and the few calls it names.
 */
export function renderBatch(plan: CommitPlan, writeId: string | null = plan.commitId): Statement[] {
  const [update, ...otherUpdates] = plan.sessions ?? [];
  const inserted = plan.insert?.sessions ?? [];
  if (update !== undefined) {
    const gate = writeId === null ? null : { sessionId: update.sessionId, writeId };
    const batch = [renderGuardedUpdate(plan, update, writeId)];
    if (otherUpdates.length > 0) batch.push(...renderOtherUpdates(otherUpdates, gate));
    insertSessions(batch, inserted, gate);
    addRows(batch, plan, gate);
    return batch;
  }
  const [insert, ...otherInserts] = inserted;
  if (insert === undefined) {
    throw new TypeError('a commit plan updates or inserts at least one session');
  }
  const gate = writeId === null ? null : { sessionId: insert.sessionId, writeId };
  const batch = [renderGuardedInsert(plan, insert, writeId)];
  insertSessions(batch, otherInserts, gate);
  addRows(batch, plan, gate);
  return batch;
}

const insertSessions = insertInto(tables.sessions);
const insertMessages = insertInto(tables.messages);
const insertJournal = insertInto(tables.journal);
const insertCalls = insertInto(tables.openCalls);
const insertReferences = insertInto(tables.references);
const insertCheckpoints = insertInto(tables.checkpoints);
const insertRuns = insertInto(tables.runs);
const insertUsage = insertInto(tables.usage);

const updateCalls = updateOf(tables.openCalls, ['root_id', 'tool_call_id', 'part']);
const updateReferences = updateOf(tables.references, ['session_id', 'sub_session_id']);
const updateInputs = updateOf(tables.inputs, ['session_id', 'input_id']);
const updateRuns = updateOf(tables.runs, ['run_id']);

function addRows(
  batch: Statement[],
  { insert = {}, update = {}, remove, stream, now }: CommitPlan,
  gate: Gate,
): void {
  if (remove) addRemovals(batch, remove, gate);
  addUpdates(batch, update, gate);
  insertMessages(batch, insert.messages, gate);
  insertJournal(batch, insert.journal, gate);
  insertCalls(batch, insert.calls, gate);
  insertReferences(batch, insert.references, gate);
  insertCheckpoints(batch, insert.checkpoints, gate);
  insertRuns(batch, insert.runs, gate);
  insertUsage(batch, insert.usage, gate);
  if (!stream) return;
  if (gate) throw new TypeError('only a driver that can stop carries writes to streams');
  batch.push(...renderCarried(stream, now));
}

function addUpdates(
  batch: Statement[],
  { calls = [], references = [], runs = [], inputs = [] }: CommitUpdates,
  gate: Gate,
): void {
  if (calls.length > 0) updateCalls(batch, calls.map(callItem), gate);
  if (references.length > 0) updateReferences(batch, references.map(referenceItem), gate);
  if (runs.length > 0) updateRuns(batch, runs.map(runItem), gate);
  if (inputs.length > 0) updateInputs(batch, inputs.map(inputItem), gate);
}

type Changed<Kind extends keyof CommitUpdates> = NonNullable<CommitUpdates[Kind]>[number];

function callItem({ key, set, onlyIf }: Changed<'calls'>): UpdateItem {
  return { ...encodeFields(tables.openCalls, { ...set, ...key }), only_if: onlyIf ?? null };
}

function referenceItem({ sessionId, subSessionId, set }: Changed<'references'>): UpdateItem {
  return encodeFields(tables.references, { ...set, sessionId, subSessionId });
}

function inputItem({ sessionId, inputId, set, onlyIf }: Changed<'inputs'>): UpdateItem {
  const fields = encodeFields(tables.inputs, { ...set, sessionId, inputId });
  return { ...fields, only_if: onlyIf ?? null };
}

function runItem({ runId, set }: Changed<'runs'>): UpdateItem {
  return encodeFields(tables.runs, { ...set, runId });
}
