import type { SessionStore } from '@helix-agents/core/store';
import type { Dialect } from '../dialect.ts';
import type { Read, SqlDriver, SqlRow } from '../driver.ts';
import { memoize } from '../memoize.ts';
import { columnNames, decodeAll, selectList, valueAfter } from '../rows/column.ts';
import { inputs, interrupts, journal, openCalls, references, sessions } from '../rows/tables.ts';
import { inCallOrder } from './call-order.ts';

/** Whether the session has rows in tables where most sessions have none. */
const marks = `exists (select 1 from __agents_interrupt_flags where session_id = ?1) as has_interrupt,
  exists (select 1 from __agents_sub_session_refs where session_id = ?1) as has_reference,
  exists (select 1 from __agents_inputs where session_id = ?1 and state = 'waiting') as has_input`;

const sessionWith = (more: readonly string[]): string =>
  `select ${[columnNames(sessions), ...more].join(', ')} from __agents_sessions where session_id = ?1`;

/** A column of the session itself. */
const own = (column: string): string =>
  `(select o.${column} from __agents_sessions as o where o.session_id = ?1)`;

const referenceOfStep = `session_id = ?1 and (step_id = ${own('step_id')} or state <> 'closed')`;

/** `?1` is the session, `?2` its id as JSON, as in a route. */
const textsOf = memoize((dialect: Dialect) => ({
  session: sessionWith([]),
  markedSession: sessionWith([marks]),
  interrupts: `select ${columnNames(interrupts)} from __agents_interrupt_flags
    where session_id = ?1 and run_id = ${own('run_id')}`,
  journal: `select ${columnNames(journal)} from __agents_journal
    where session_id = ?1 and step_id = ${own('step_id')} order by call_index, kind`,
  calls: `select ${columnNames(openCalls)} from __agents_open_calls
    where root_id = ${own('root_id')} and state in ('open', 'answered')
      and unit_id = ${own('unit_id')}
      and ${dialect.contains('route', '?2')}`,
  references: `select ${columnNames(references)} from __agents_sub_session_refs
    where ${referenceOfStep} order by step_id, call_index`,
  children: `select ${selectList(sessions, 'k')} from (
      select sub_session_id, step_id, call_index from __agents_sub_session_refs
      where ${referenceOfStep}) as r
    join __agents_sessions as k on k.session_id = r.sub_session_id
    order by r.step_id, r.call_index`,
  inputs: `select ${columnNames(inputs)} from __agents_inputs
    where session_id = ?1 and state = 'waiting' order by seq`,
}));

/** In the order of `marks`. */
const MARKS = ['has_interrupt', 'has_reference', 'has_input'] as const;

/** False only if the session row says so; a row without marks does not. */
function mayHave(mark: (typeof MARKS)[number]): NonNullable<Read['isNeeded']> {
  const nth = MARKS.indexOf(mark);
  return ([found]: readonly (readonly SqlRow[])[]) =>
    found?.[0] === undefined || valueAfter(sessions, found[0], mark, nth) !== 0;
}

/** On one snapshot: session row first, children last. */
export function createReadStep(driver: SqlDriver): SessionStore['readStep'] {
  const texts = textsOf(driver.dialect);
  return async ({ sessionId }) => {
    const params = [sessionId];
    const [sessionRows, interruptRows, journalRows, callRows, referenceRows, childRows, inputRows] =
      await driver.readBatch([
        { sql: driver.canStop ? texts.markedSession : texts.session, params, byPlace: true },
        { sql: texts.interrupts, params, isNeeded: mayHave('has_interrupt') },
        { sql: texts.journal, params, byPlace: true },
        { sql: texts.calls, params: [sessionId, JSON.stringify(sessionId)], byPlace: true },
        { sql: texts.references, params, isNeeded: mayHave('has_reference') },
        { sql: texts.children, params, isNeeded: mayHave('has_reference') },
        { sql: texts.inputs, params, isNeeded: mayHave('has_input') },
      ]);
    const [session] = decodeAll(sessions, sessionRows);
    if (session === undefined) return null;
    // A substring of the route's JSON may match a part of another id.
    const calls = decodeAll(openCalls, callRows).filter(({ route }) => route.includes(sessionId));
    return {
      session,
      interrupt: decodeAll(interrupts, interruptRows)[0] ?? null,
      journal: decodeAll(journal, journalRows),
      calls: inCallOrder(calls),
      references: decodeAll(references, referenceRows),
      children: decodeAll(sessions, childRows),
      inputs: decodeAll(inputs, inputRows),
    };
  };
}
