import type { OpenCallRow } from '@helix-agents/core';
import type {
  AnswerCall,
  AnswerCallResult,
  SessionRef,
  SessionStore,
} from '@helix-agents/core/store';
import { nowParam, type SqlClock } from '../clock.ts';
import type { Dialect } from '../dialect.ts';
import type { SqlDriver, SqlParam } from '../driver.ts';
import { memoize } from '../memoize.ts';
import { columnNames, decodeAll } from '../rows/column.ts';
import { openCalls } from '../rows/tables.ts';
import { inCallOrder } from './call-order.ts';

export type CallWrites = Pick<
  SessionStore,
  'answerCall' | 'expireCalls' | 'takeReminders' | 'purgeCalls'
>;

const oneCall = 'root_id = ?2 and tool_call_id = ?3 and part = ?4';

/** Names all columns: a prepared `*` fails when a migration adds one. */
const callColumns = columnNames(openCalls);

const readOne = `select ${callColumns} from __agents_open_calls
  where root_id = ?1 and tool_call_id = ?2 and part = ?3`;

/** `?1` is the time of the write. */
const textsOf = memoize((dialect: Dialect) =>
  memoize((clock: SqlClock) => {
    const now = clock.at('?1');
    const late = `deadline_at <= ${now}`;
    const overdue = `root_id = ?2 and unit_id = ?3 and state = 'open' and ${late}`;
    return {
      // A late answer expires the call.
      answerOne: `update __agents_open_calls set state = 'answered', answered_at = ${now},
        outcome = case when ${late} then 'expired' else ?5 end,
        answer = case when ${late} then '{"kind":"none"}' else ?6 end,
        answered_by = case when ${late} then null else ?7 end,
        submission_id = case when ${late} then null else ?10 end
      where ${oneCall} and state = 'open'
        and kind = coalesce(?8, kind)
        and coalesce(approval_id, '') = coalesce(?9, approval_id, '')
      returning ${callColumns}`,
      findOverdue: `select 1 from __agents_open_calls where ${overdue} limit 1`,
      expireAll: `update __agents_open_calls set state = 'answered', outcome = 'expired',
        answer = '{"kind":"none"}', answered_by = null, answered_at = ${now}
      where ${overdue} returning ${callColumns}`,
      // Uses the index of the root's calls, not that of all due reminders.
      takeReminders: `update __agents_open_calls set remind_at = null
      where root_id = ?2 and unit_id = ?3 and state = 'open' and ${dialect.unindexed('remind_at')} <= ${now}
      returning ${callColumns}`,
      purge: `delete from __agents_open_calls
      where root_id = ?2 and unit_id = ?3 and state = 'settled' and purge_at <= ${now}`,
    };
  }),
);

export function createCallWrites(driver: SqlDriver, clock: SqlClock): CallWrites {
  const { dialect } = driver;
  const texts = textsOf(dialect)(clock);
  const params = ({ rootId, sessionId }: SessionRef, now: number): SqlParam[] => [
    nowParam(clock, now),
    rootId,
    sessionId,
  ];
  const change = async (
    sql: string,
    top: SessionRef,
    now: number,
  ): Promise<readonly OpenCallRow[]> => {
    const [written] = await driver.batch([{ sql, params: params(top, now) }]);
    return inCallOrder(decodeAll(openCalls, written?.rows));
  };
  return {
    answerCall: (input) =>
      answerCall(driver, texts.answerOne, { ...input, now: nowParam(clock, input.now) }),
    async expireCalls(top, now) {
      if (!dialect.emptyWriteIsCheap) {
        const due = await driver.all({ sql: texts.findOverdue, params: params(top, now) });
        if (due.length === 0) return [];
      }
      return change(texts.expireAll, top, now);
    },
    takeReminders: (top, now) => change(texts.takeReminders, top, now),
    async purgeCalls(top, now) {
      const [purged] = await driver.batch([{ sql: texts.purge, params: params(top, now) }]);
      return purged?.changes ?? 0;
    },
  };
}

async function answerCall(
  driver: SqlDriver,
  answerOne: string,
  input: AnswerCall,
): Promise<AnswerCallResult> {
  const { rootId, toolCallId, part } = input.key;
  const key = [rootId, toolCallId, part];
  const answer = [input.outcome, JSON.stringify(input.answer), input.answeredBy];
  const only = [input.only?.kind ?? null, input.only?.approvalId ?? null];
  const [answered] = await driver.batch([
    {
      sql: answerOne,
      params: [input.now, ...key, ...answer, ...only, input.submissionId ?? null],
      byPlace: true,
    },
  ]);
  const [changed] = decodeAll(openCalls, answered?.rows);
  if (changed) return { found: true, taken: changed.outcome !== 'expired', row: changed };
  // The call was not open: read it as the first answer left it.
  const [row] = decodeAll(
    openCalls,
    await driver.all({ sql: readOne, params: key, byPlace: true }),
  );
  return row === undefined ? { found: false } : { found: true, taken: false, row };
}
