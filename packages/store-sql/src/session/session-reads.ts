import type { SessionStore, StepRows } from '@helix-agents/core';
import type { Dialect } from '../dialect.ts';
import type { SqlDriver, SqlParam, SqlRow, Statement } from '../driver.ts';
import { decodeRow, selectList, type Table } from '../rows/column.ts';
import {
  checkpoints,
  interrupts,
  journal,
  messages,
  openCalls,
  references,
  runs,
  sessions,
} from '../rows/tables.ts';

export type SessionReads = Pick<
  SessionStore,
  | 'readSession'
  | 'readStep'
  | 'readMessages'
  | 'readCalls'
  | 'readReferences'
  | 'readRuns'
  | 'readCheckpoints'
>;

/** Order of calls everywhere: oldest first, then by their place in the step. */
export const CALL_ORDER = 'c.opened_at, c.owner_step_id, c.owner_index, c.tool_call_id, c.part';

const session = `select ${selectList(sessions, 's')} from __agents_sessions as s
  where s.session_id = ?1`;

const here = `join __agents_sessions as s on s.session_id = ?1`;
const referenceOfStep = `r.session_id = ?1 and (r.step_id = s.step_id or r.state <> 'closed')`;

/** Session row first, children last. */
const stepOf = (dialect: Dialect): readonly string[] => [
  session,
  `select ${selectList(interrupts, 'i')} from __agents_interrupt_flags as i ${here}
    where i.session_id = ?1 and i.run_id = s.run_id`,
  `select ${selectList(journal, 'j')} from __agents_journal as j ${here}
    where j.session_id = ?1 and j.step_id = s.step_id order by j.call_index, j.kind`,
  `select ${selectList(openCalls, 'c')} from __agents_open_calls as c ${here}
    where c.root_id = s.root_id and c.state in ('open', 'answered')
      and ${dialect.listHas('c.route', '?1')}
    order by ${CALL_ORDER}`,
  `select ${selectList(references, 'r')} from __agents_sub_session_refs as r ${here}
    where ${referenceOfStep} order by r.step_id, r.call_index`,
  `select ${selectList(sessions, 'k')} from __agents_sub_session_refs as r ${here}
    join __agents_sessions as k on k.session_id = r.sub_session_id
    where ${referenceOfStep} order by r.step_id, r.call_index`,
];

const list = {
  messages: `select ${selectList(messages, 'm')} from __agents_messages as m
    where m.session_id = ?1 and m.sequence > ?2 order by m.sequence limit ?3`,
  calls: `select ${selectList(openCalls, 'c')} from __agents_open_calls as c
    where c.root_id = ?1 order by ${CALL_ORDER}`,
  callsById: `select ${selectList(openCalls, 'c')} from __agents_open_calls as c
    where c.root_id = ?1 and c.tool_call_id = ?2 order by ${CALL_ORDER}`,
  references: `select ${selectList(references, 'r')} from __agents_sub_session_refs as r
    where r.session_id = ?1 order by r.step_id, r.call_index`,
  runs: `select ${selectList(runs, 'r')} from __agents_runs as r
    where r.session_id = ?1 order by r.turn desc limit ?2`,
  checkpoints: `select ${selectList(checkpoints, 'c')} from __agents_checkpoints as c
    where c.session_id = ?1 and c.version < ?2 order by c.version desc limit ?3`,
};

/** Session ids are unique in a database, so `rootId` is not needed to find one. */
export function createSessionReads(driver: SqlDriver): SessionReads {
  const step = stepOf(driver.dialect);
  const rows = async <Row>(
    table: Table<Row>,
    sql: string,
    params: readonly SqlParam[],
  ): Promise<readonly Row[]> => decodeAll(table, await driver.all({ sql, params }));
  return {
    async readSession(ref) {
      const [row] = await rows(sessions, session, [ref.sessionId]);
      return row ?? null;
    },
    async readStep(ref) {
      const params = [ref.sessionId];
      return readStep(
        driver,
        step.map((sql) => ({ sql, params })),
      );
    },
    async readMessages(ref, range = {}) {
      const params = [ref.sessionId, range.after ?? 0, range.limit ?? NO_LIMIT];
      return rows(messages, list.messages, params);
    },
    async readCalls(rootId, filter = {}) {
      return filter.toolCallId === undefined
        ? rows(openCalls, list.calls, [rootId])
        : rows(openCalls, list.callsById, [rootId, filter.toolCallId]);
    },
    async readReferences(ref) {
      return rows(references, list.references, [ref.sessionId]);
    },
    async readRuns(ref, range = {}) {
      const newest = await rows(runs, list.runs, [ref.sessionId, range.last ?? NO_LIMIT]);
      return newest.toReversed();
    },
    async readCheckpoints(ref, range = {}) {
      const before = range.before ?? Number.MAX_SAFE_INTEGER;
      const params = [ref.sessionId, before, range.limit ?? NO_LIMIT];
      return rows(checkpoints, list.checkpoints, params);
    },
  };
}

export function decodeAll<Row>(table: Table<Row>, rows: readonly SqlRow[] = []): Row[] {
  return rows.map((row) => decodeRow(table, row));
}

/** What `limit` takes for all rows. */
export const NO_LIMIT: number = Number.MAX_SAFE_INTEGER;

async function readStep(
  driver: SqlDriver,
  statements: readonly Statement[],
): Promise<StepRows | null> {
  const [sessionRows, interruptRows, journalRows, callRows, referenceRows, childRows] =
    await driver.readBatch(statements);
  const [found] = decodeAll(sessions, sessionRows);
  if (found === undefined) return null;
  return {
    session: found,
    interrupt: decodeAll(interrupts, interruptRows)[0] ?? null,
    journal: decodeAll(journal, journalRows),
    calls: decodeAll(openCalls, callRows),
    references: decodeAll(references, referenceRows),
    children: decodeAll(sessions, childRows),
  };
}
