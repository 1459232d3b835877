import type { SessionStore } from '@helix-agents/core/store';
import type { SqlDriver, SqlParam } from '../driver.ts';
import { columnNames, decodeAll, type Table } from '../rows/column.ts';
import {
  checkpoints,
  inputs,
  journal,
  messages,
  openCalls,
  references,
  runs,
  sessions,
} from '../rows/tables.ts';
import { inCallOrder } from './call-order.ts';
import { createReadStep } from './read-step.ts';

export type SessionReads = Pick<
  SessionStore,
  | 'readSession'
  | 'readStep'
  | 'readJournal'
  | 'readMessages'
  | 'readMessage'
  | 'readCalls'
  | 'readReferences'
  | 'readInputs'
  | 'readRuns'
  | 'readCheckpoints'
>;

/** Calls are not ordered here: see `inCallOrder`. */
const texts = {
  session: `select ${columnNames(sessions)} from __agents_sessions where session_id = ?1`,
  journal: `select ${columnNames(journal)} from __agents_journal
    where session_id = ?1 and step_id = ?2 order by call_index, kind`,
  messages: `select ${columnNames(messages)} from __agents_messages
    where session_id = ?1 and sequence > ?2 order by sequence limit ?3`,
  message: `select ${columnNames(messages)} from __agents_messages
    where session_id = ?1 and message_id = ?2 and role = 'user'`,
  calls: `select ${columnNames(openCalls)} from __agents_open_calls where root_id = ?1`,
  call: `select ${columnNames(openCalls)} from __agents_open_calls
    where root_id = ?1 and tool_call_id = ?2 and part = ?3`,
  references: `select ${columnNames(references)} from __agents_sub_session_refs
    where session_id = ?1 order by step_id, call_index`,
  inputs: `select ${columnNames(inputs)} from __agents_inputs where session_id = ?1 order by seq`,
  input: `select ${columnNames(inputs)} from __agents_inputs where session_id = ?1 and input_id = ?2`,
  runs: `select ${columnNames(runs)} from __agents_runs
    where session_id = ?1 order by turn desc limit ?2`,
  checkpoints: `select ${columnNames(checkpoints)} from __agents_checkpoints
    where session_id = ?1 and version < ?2 order by version desc limit ?3`,
};

/** Session ids are unique in a database, so `rootId` is not needed to find one. */
export function createSessionReads(driver: SqlDriver): SessionReads {
  const rows = async <Row>(
    table: Table<Row>,
    sql: string,
    params: readonly SqlParam[],
  ): Promise<readonly Row[]> => decodeAll(table, await driver.all({ sql, params, byPlace: true }));
  return {
    async readSession(ref) {
      const [row] = await rows(sessions, texts.session, [ref.sessionId]);
      return row ?? null;
    },
    readStep: createReadStep(driver),
    async readJournal(ref, stepId) {
      return rows(journal, texts.journal, [ref.sessionId, stepId]);
    },
    async readMessages(ref, range = {}) {
      const params = [ref.sessionId, range.after ?? 0, range.limit ?? NO_LIMIT];
      return rows(messages, texts.messages, params);
    },
    async readMessage(ref, messageId) {
      const [row] = await rows(messages, texts.message, [ref.sessionId, messageId]);
      return row ?? null;
    },
    async readCalls(rootId, only) {
      if (only) return rows(openCalls, texts.call, [rootId, only.toolCallId, only.part]);
      return inCallOrder(await rows(openCalls, texts.calls, [rootId]));
    },
    async readReferences(ref) {
      return rows(references, texts.references, [ref.sessionId]);
    },
    async readInputs({ sessionId }, { inputId, sender } = {}) {
      const found =
        inputId === undefined
          ? await rows(inputs, texts.inputs, [sessionId])
          : await rows(inputs, texts.input, [sessionId, inputId]);
      return sender === undefined ? found : found.filter((row) => row.sender === sender);
    },
    async readRuns(ref, range = {}) {
      const newest = await rows(runs, texts.runs, [ref.sessionId, range.last ?? NO_LIMIT]);
      return newest.toReversed();
    },
    async readCheckpoints(ref, range = {}) {
      const before = range.before ?? Number.MAX_SAFE_INTEGER;
      const params = [ref.sessionId, before, range.limit ?? NO_LIMIT];
      return rows(checkpoints, texts.checkpoints, params);
    },
  };
}

/** For a `limit` of all rows. */
const NO_LIMIT: number = Number.MAX_SAFE_INTEGER;
