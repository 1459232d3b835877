import type { DueWork, SessionIndex } from '@helix-agents/core/store';
import { nowParam, type SqlClock } from '../clock.ts';
import { jsonParam } from '../commit/json-param.ts';
import type { Dialect } from '../dialect.ts';
import type { SqlDriver } from '../driver.ts';
import { memoize } from '../memoize.ts';
import { decodeAll, selectList } from '../rows/column.ts';
import { sessions } from '../rows/tables.ts';

/** Keeps the planner from scanning the index of all calls by root. */
const rootsWithCalls = (dialect: Dialect, due: string): string =>
  `select distinct ${dialect.unindexed('c.root_id')} as root_id from __agents_open_calls as c
  where ${due} and not ${dialect.isOneOf('c.root_id', '?3')} limit ?2`;

/** Names its index: with statistics taken while no session runs, the planner would scan all sessions. */
const deadRoots = (dialect: Dialect, now: string): string => `select ${selectList(sessions, 's')}
  from __agents_sessions as s ${dialect.indexedBy('__agents_sessions_by_lease')}
  where s.status = 'running' and s.session_id = s.root_id
    and (s.lease_until <= ${now} or (s.host_kind = ?3 and s.started = 0))
    and not ${dialect.isOneOf('s.session_id', '?4')}
  order by s.updated_at limit ?2`;

/** Starts at the answered calls, which are few, not at the sessions. */
const answeredRoots = (dialect: Dialect): string => `select ${selectList(sessions, 's')}
  from (select distinct c.root_id from __agents_open_calls as c where c.state = 'answered') as d
  ${dialect.leftFirstJoin} __agents_sessions as s on s.session_id = d.root_id
  where s.session_id = s.root_id and s.error is null
    and s.status in
      ('suspended_client_tool', 'suspended_awaiting_children', 'suspended_step_partial')
    and not exists (select 1 from __agents_open_calls as o
      where o.root_id = s.session_id and o.state = 'open')
    and not ${dialect.isOneOf('s.session_id', '?2')}
  order by s.updated_at limit ?1`;

const closing = (dialect: Dialect): string => `select r.session_id, r.sub_session_id, s.root_id
  from __agents_sub_session_refs as r join __agents_sessions as s on s.session_id = r.session_id
  where r.state = 'closing' and not ${dialect.isOneOf('s.root_id', '?2')} order by r.started_at limit ?1`;

export function createFindDue(driver: SqlDriver, clock: SqlClock): SessionIndex['findDue'] {
  const texts = textsOf(driver.dialect)(clock);
  return (input) => findDue(driver, texts, { ...input, now: nowParam(clock, input.now) });
}

type DueTexts = Readonly<
  Record<'overdue' | 'dead' | 'remindable' | 'answered' | 'closing' | 'purgeable', string>
>;

const textsOf = memoize((dialect: Dialect) =>
  memoize((clock: SqlClock): DueTexts => {
    const now = clock.at('?1');
    return {
      overdue: rootsWithCalls(dialect, `c.state = 'open' and c.deadline_at <= ${now}`),
      dead: deadRoots(dialect, now),
      remindable: rootsWithCalls(dialect, `c.state = 'open' and c.remind_at <= ${now}`),
      answered: answeredRoots(dialect),
      closing: closing(dialect),
      purgeable: rootsWithCalls(dialect, `c.state = 'settled' and c.purge_at <= ${now}`),
    };
  }),
);

async function findDue(
  driver: SqlDriver,
  texts: DueTexts,
  { now, hostKind, limit, except = [] }: Parameters<SessionIndex['findDue']>[0],
): Promise<DueWork> {
  const leftOut = jsonParam(except);
  const [overdue = [], dead = [], remindable = [], answered = [], closings = [], purgeable = []] =
    await driver.readBatch([
      { sql: texts.overdue, params: [now, limit, leftOut] },
      { sql: texts.dead, params: [now, limit, hostKind, leftOut] },
      { sql: texts.remindable, params: [now, limit, leftOut] },
      { sql: texts.answered, params: [limit, leftOut] },
      { sql: texts.closing, params: [limit, leftOut] },
      { sql: texts.purgeable, params: [now, limit, leftOut] },
    ]);
  return {
    overdueRoots: overdue.map((row) => String(row['root_id'])),
    deadRoots: decodeAll(sessions, dead),
    remindableRoots: remindable.map((row) => String(row['root_id'])),
    answeredRoots: decodeAll(sessions, answered),
    closing: closings.map((row) => ({
      parent: { rootId: String(row['root_id']), sessionId: String(row['session_id']) },
      subSessionId: String(row['sub_session_id']),
    })),
    purgeableRoots: purgeable.map((row) => String(row['root_id'])),
  };
}
