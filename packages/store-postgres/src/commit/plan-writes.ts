import type {
  CommitInserts,
  CommitPlan,
  CommitRemovals,
  CommitUpdates,
} from '@helix-agents/core/store';
import { encodeFields, encodeRow, tables, type Table } from '@helix-agents/store-sql';
import { bigint, text, type EncodedRow, type Params, type UpdateItem } from './params.ts';
import { deleteFrom, insertInto, updateOf, type Write } from './row-writes.ts';

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

const deleteJournal = deleteFrom('__agents_journal', [text('session_id'), bigint('step_id')]);
const deleteInterrupts = deleteFrom('__agents_interrupt_flags', [
  text('session_id'),
  text('run_id'),
]);
const cutMessages = deleteFrom(
  '__agents_messages',
  [text('session_id'), bigint('sequence')],
  'sequence',
);
const cutCheckpoints = deleteFrom(
  '__agents_checkpoints',
  [text('session_id'), bigint('version')],
  'version',
);

/** All writes of a plan except the updates of its sessions, encoded. */
export interface EncodedWrites {
  readonly insert: Readonly<Record<keyof CommitInserts, readonly EncodedRow[]>>;
  readonly update: Readonly<Record<keyof CommitUpdates, readonly UpdateItem[]>>;
  readonly remove: CommitRemovals;
}

/** Times are relative to `origin`. */
export function encodeWrites(
  { insert = {}, update = {}, remove = {} }: CommitPlan,
  origin = 0,
): EncodedWrites {
  const rows = <Row>(table: Table<Row>, list: readonly Row[] = []): readonly EncodedRow[] =>
    list.map((row) => encodeRow(table, row, origin));
  return {
    insert: {
      sessions: rows(tables.sessions, insert.sessions),
      messages: rows(tables.messages, insert.messages),
      journal: rows(tables.journal, insert.journal),
      calls: rows(tables.openCalls, insert.calls),
      references: rows(tables.references, insert.references),
      checkpoints: rows(tables.checkpoints, insert.checkpoints),
      runs: rows(tables.runs, insert.runs),
      usage: rows(tables.usage, insert.usage),
    },
    update: {
      calls: (update.calls ?? []).map(({ key, set, onlyIf }) => ({
        ...encodeFields(tables.openCalls, { ...set, ...key }, origin),
        ...(onlyIf && { only_if: onlyIf }),
      })),
      references: (update.references ?? []).map(({ sessionId, subSessionId, set }) =>
        encodeFields(tables.references, { ...set, sessionId, subSessionId }, origin),
      ),
      runs: (update.runs ?? []).map(({ runId, set }) =>
        encodeFields(tables.runs, { ...set, runId }, origin),
      ),
      inputs: (update.inputs ?? []).map(({ sessionId, inputId, set, onlyIf }) => ({
        ...encodeFields(tables.inputs, { ...set, sessionId, inputId }, origin),
        ...(onlyIf && { only_if: onlyIf }),
      })),
    },
    remove,
  };
}

/** Writes as parts of the statement. */
export function renderWrites(params: Params, { insert, update, remove }: EncodedWrites): string[] {
  const cuts = [
    ...cutMessages(
      params,
      remove.messagesAfter?.map(({ sessionId, sequence }) => [sessionId, sequence]),
    ).map((sql) => `messages_cut as (${sql} returning 1)`),
    ...cutCheckpoints(
      params,
      remove.checkpointsAfter?.map(({ sessionId, version }) => [sessionId, version]),
    ).map((sql) => `checkpoints_cut as (${sql} returning 1)`),
  ];
  const cut = (name: string): string | undefined =>
    cuts.some((part) => part.startsWith(`${name} `)) ? name : undefined;
  const writes: Write[] = [
    ...deleteJournal(
      params,
      remove.journal?.map(({ sessionId, stepId }) => [sessionId, stepId]),
    ),
    ...deleteInterrupts(
      params,
      remove.interrupts?.map(({ sessionId, runId }) => [sessionId, runId]),
    ),
    ...updateCalls(params, update.calls),
    ...updateReferences(params, update.references),
    ...updateRuns(params, update.runs),
    ...updateInputs(params, update.inputs),
    ...insertSessions(params, insert.sessions),
    ...insertMessages(params, insert.messages, cut('messages_cut')),
    ...insertJournal(params, insert.journal),
    ...insertCalls(params, insert.calls),
    ...insertReferences(params, insert.references),
    ...insertCheckpoints(params, insert.checkpoints, cut('checkpoints_cut')),
    ...insertRuns(params, insert.runs),
    ...insertUsage(params, insert.usage),
  ];
  return [...cuts, ...writes.map((sql, index) => `w${index} as (${sql})`)];
}
