import type { CommitPlan, CommitUpdates } from '@helix-agents/core';
import { encodeFields } from '../../rows/column.ts';
import * as tables from '../../rows/tables.ts';
import { bigint, text, type Params } from './params.ts';
import { deleteFrom, insertInto, updateOf, type Gating, type Write } from './row-writes.ts';

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

export type PlanWrites = Pick<CommitPlan, 'insert' | 'update' | 'remove'>;

/** All writes of a plan but the updates of its sessions, as parts of its statement. */
export function renderWrites(
  params: Params,
  { insert = {}, update = {}, remove = {} }: PlanWrites,
  gating: Gating = 'plan',
): string[] {
  const cuts = [
    ...cutMessages(
      params,
      remove.messagesAfter?.map(({ sessionId, sequence }) => [sessionId, sequence]),
      gating,
    ).map((sql) => `messages_cut as (${sql} returning 1)`),
    ...cutCheckpoints(
      params,
      remove.checkpointsAfter?.map(({ sessionId, version }) => [sessionId, version]),
      gating,
    ).map((sql) => `checkpoints_cut as (${sql} returning 1)`),
  ];
  const cut = (name: string): string | undefined =>
    cuts.some((part) => part.startsWith(`${name} `)) ? name : undefined;
  const writes: Write[] = [
    ...deleteJournal(
      params,
      remove.journal?.map(({ sessionId, stepId }) => [sessionId, stepId]),
      gating,
    ),
    ...deleteInterrupts(
      params,
      remove.interrupts?.map(({ sessionId, runId }) => [sessionId, runId]),
      gating,
    ),
    ...renderUpdates(params, update, gating),
    ...insertSessions(params, insert.sessions, gating),
    ...insertMessages(params, insert.messages, gating, cut('messages_cut')),
    ...insertJournal(params, insert.journal, gating),
    ...insertCalls(params, insert.calls, gating),
    ...insertReferences(params, insert.references, gating),
    ...insertCheckpoints(params, insert.checkpoints, gating, cut('checkpoints_cut')),
    ...insertRuns(params, insert.runs, gating),
    ...insertUsage(params, insert.usage, gating),
  ];
  return [...cuts, ...writes.map((sql, index) => `w${index} as (${sql})`)];
}

function renderUpdates(params: Params, update: CommitUpdates, gating: Gating): Write[] {
  const calls = (update.calls ?? []).map(({ key, set, onlyIf }) => ({
    ...encodeFields(tables.openCalls, { ...set, ...key }),
    ...(onlyIf && { only_if: onlyIf }),
  }));
  const references = (update.references ?? []).map(({ sessionId, subSessionId, set }) =>
    encodeFields(tables.references, { ...set, sessionId, subSessionId }),
  );
  const runs = (update.runs ?? []).map(({ runId, set }) =>
    encodeFields(tables.runs, { ...set, runId }),
  );
  return [
    ...updateCalls(params, calls, gating),
    ...updateReferences(params, references, gating),
    ...updateRuns(params, runs, gating),
  ];
}
