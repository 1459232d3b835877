import type { AnswerCall, AnswerCallResult, SessionStore } from '@helix-agents/core';
import type { SqlDriver } from '../driver.ts';
import { selectList } from '../rows/column.ts';
import { openCalls } from '../rows/tables.ts';
import { CALL_ORDER, decodeAll } from './session-reads.ts';

export type CallWrites = Pick<
  SessionStore,
  'answerCall' | 'expireCalls' | 'takeReminders' | 'purgeCalls'
>;

const toExpired = `state = 'answered', outcome = 'expired', answer = '{"kind":"none"}',
  answered_by = null, answered_at = ?1`;
const overdue = `state = 'open' and deadline_at <= ?1`;
const oneCall = 'root_id = ?2 and tool_call_id = ?3 and part = ?4';
const columns = selectList(openCalls, 'c');

const expireOne = `update __agents_open_calls set ${toExpired} where ${oneCall} and ${overdue}`;
/** Comes after `expireOne`: what is still open is in time. */
const answerOne = `update __agents_open_calls
  set state = 'answered', answered_at = ?1, outcome = ?5, answer = ?6, answered_by = ?7
  where ${oneCall} and state = 'open'`;
const readOne = `select ${columns} from __agents_open_calls as c
  where c.root_id = ?1 and c.tool_call_id = ?2 and c.part = ?3`;

/** The rows to come back are read before they move: afterwards nothing tells them from older ones. */
const readOverdue = `select ${columns} from __agents_open_calls as c
  where c.root_id = ?2 and c.${overdue} order by ${CALL_ORDER}`;
const expireAll = `update __agents_open_calls set ${toExpired} where root_id = ?2 and ${overdue}`;

/** The plus leads the planner to the calls of the root, not to all reminders that are due. */
const remindable = `state = 'open' and +remind_at <= ?1`;
const readRemindable = `select ${columns} from __agents_open_calls as c
  where c.root_id = ?2 and c.${remindable} order by ${CALL_ORDER}`;
const clearReminders = `update __agents_open_calls set remind_at = null
  where root_id = ?2 and ${remindable}`;

const purge = `delete from __agents_open_calls
  where root_id = ?1 and state = 'settled' and purge_at <= ?2`;

export function createCallWrites(driver: SqlDriver): CallWrites {
  return {
    answerCall: (input) => answerCall(driver, input),
    async expireCalls(rootId, now) {
      const params = [now, rootId];
      // Most of the time nothing is due: that is found out without a write.
      if ((await driver.all({ sql: readOverdue, params })).length === 0) return [];
      const [found] = await driver.batch([
        { sql: readOverdue, params },
        { sql: expireAll, params },
      ]);
      return decodeAll(openCalls, found?.rows).map((row) => ({
        ...row,
        state: 'answered',
        outcome: 'expired',
        answer: { kind: 'none' },
        answeredBy: null,
        answeredAt: now,
      }));
    },
    async takeReminders(rootId, now) {
      const params = [now, rootId];
      const [found] = await driver.batch([
        { sql: readRemindable, params },
        { sql: clearReminders, params },
      ]);
      return decodeAll(openCalls, found?.rows).map((row) => ({ ...row, remindAt: null }));
    },
    async purgeCalls(rootId, now) {
      const [purged] = await driver.batch([{ sql: purge, params: [rootId, now] }]);
      return purged?.changes ?? 0;
    },
  };
}

async function answerCall(driver: SqlDriver, input: AnswerCall): Promise<AnswerCallResult> {
  const { rootId, toolCallId, part } = input.key;
  const key = [rootId, toolCallId, part];
  const answer = [input.outcome, JSON.stringify(input.answer), input.answeredBy];
  const [, answered, read] = await driver.batch([
    { sql: expireOne, params: [input.now, ...key] },
    { sql: answerOne, params: [input.now, ...key, ...answer] },
    { sql: readOne, params: key },
  ]);
  const [row] = decodeAll(openCalls, read?.rows);
  if (row === undefined) return { found: false };
  return { found: true, taken: answered?.changes === 1, row };
}
