import type { DueWork, SessionIndex, SessionRef } from '@helix-agents/core/store';
import { nowParam, type SqlClock } from '../clock.ts';
import { jsonParam } from '../commit/json-param.ts';
import type { Dialect } from '../dialect.ts';
import type { SqlDriver, SqlRow } from '../driver.ts';
import { memoize } from '../memoize.ts';
import { decodeAll, selectList } from '../rows/column.ts';
import { sessions } from '../rows/tables.ts';

/** Keeps the planner from scanning the index of all calls by root. */
const topsWithCalls = (dialect: Dialect, due: string): string =>
  `select distinct ${dialect.unindexed('c.root_id')} as root_id, c.unit_id from __agents_open_calls as c
  where ${due} and not ${dialect.isOneOf('c.unit_id', '?3')} limit ?2`;

const purgeableTops = (dialect: Dialect, now: string): string => `select d.root_id, d.unit_id
  from (${topsWithCalls(dialect, `c.state = 'settled' and c.purge_at <= ${now}`)}) as d
  union select b.root_id, b.unit_id from (
    select distinct i.root_id, i.session_id as unit_id from __agents_inputs as i
    where i.purge_at <= ${now} and i.state <> 'waiting'
      and not ${dialect.isOneOf('i.session_id', '?3')} limit ?2) as b
  limit ?2`;

/** Names its index: with statistics taken while no session runs, the planner would scan all sessions. */
const deadTops = (dialect: Dialect, now: string): string => `select ${selectList(sessions, 's')}
  from __agents_sessions as s ${dialect.indexedBy('__agents_sessions_by_lease')}
  where s.status = 'running' and s.session_id = s.unit_id
    and (s.lease_until <= ${now} or (s.host_kind = ?3 and s.started = 0))
    and not ${dialect.isOneOf('s.session_id', '?4')}
  order by s.updated_at limit ?2`;

/** Starts at the answered calls, which are few, not at the sessions. */
const answeredTops = (dialect: Dialect): string => `select ${selectList(sessions, 's')}
  from (select distinct c.root_id, c.unit_id from __agents_open_calls as c where c.state = 'answered') as d
  ${dialect.leftFirstJoin} __agents_sessions as s on s.session_id = d.unit_id
  where s.session_id = s.unit_id and s.error is null and s.status in ${SUSPENDED}
    and not exists (select 1 from __agents_open_calls as o
      where o.root_id = s.root_id and o.unit_id = s.session_id and o.state = 'open')
    and not ${dialect.isOneOf('s.session_id', '?2')}
  order by s.updated_at limit ?1`;

const SUSPENDED = `('suspended_client_tool', 'suspended_awaiting_children', 'suspended_step_partial')`;

const wakeableTops = (dialect: Dialect, now: string): string => `select ${selectList(sessions, 's')}
  from __agents_sessions as s ${dialect.indexedBy('__agents_sessions_wake')}
  where s.wake_at <= ${now} and s.session_id = s.unit_id
    and (s.status in ${SUSPENDED} or (s.status = 'completed' and s.closed = 0))
    and not ${dialect.isOneOf('s.session_id', '?3')}
  order by s.wake_at limit ?2`;

const unreportedTops = (dialect: Dialect): string => `select ${selectList(sessions, 's')}
  from __agents_sessions as s ${dialect.indexedBy('__agents_sessions_unreported')}
  where s.reported < s.ends and not ${dialect.isOneOf('s.session_id', '?2')}
  order by s.updated_at limit ?1`;

const closing = (dialect: Dialect): string => `select r.session_id, r.sub_session_id, s.root_id
  from __agents_sub_session_refs as r join __agents_sessions as s on s.session_id = r.session_id
  where r.state = 'closing' and not ${dialect.isOneOf('s.root_id', '?2')} order by r.started_at limit ?1`;

export function createFindDue(driver: SqlDriver, clock: SqlClock): SessionIndex['findDue'] {
  const texts = textsOf(driver.dialect)(clock);
  return (input) => findDue(driver, texts, { ...input, now: nowParam(clock, input.now) });
}

type DueTexts = Readonly<Record<keyof DueWork, string>>;

const textsOf = memoize((dialect: Dialect) =>
  memoize((clock: SqlClock): DueTexts => {
    const now = clock.at('?1');
    return {
      overdueTops: topsWithCalls(dialect, `c.state = 'open' and c.deadline_at <= ${now}`),
      deadTops: deadTops(dialect, now),
      remindableTops: topsWithCalls(dialect, `c.state = 'open' and c.remind_at <= ${now}`),
      answeredTops: answeredTops(dialect),
      wakeableTops: wakeableTops(dialect, now),
      unreportedTops: unreportedTops(dialect),
      closing: closing(dialect),
      purgeableTops: purgeableTops(dialect, now),
    };
  }),
);

async function findDue(
  driver: SqlDriver,
  texts: DueTexts,
  { now, hostKind, limit, except = [] }: Parameters<SessionIndex['findDue']>[0],
): Promise<DueWork> {
  const leftOut = jsonParam(except);
  const [overdue, dead, remindable, answered, wakeable, unreported, closings = [], purgeable] =
    await driver.readBatch([
      { sql: texts.overdueTops, params: [now, limit, leftOut] },
      { sql: texts.deadTops, params: [now, limit, hostKind, leftOut] },
      { sql: texts.remindableTops, params: [now, limit, leftOut] },
      { sql: texts.answeredTops, params: [limit, leftOut] },
      { sql: texts.wakeableTops, params: [now, limit, leftOut] },
      { sql: texts.unreportedTops, params: [limit, leftOut] },
      { sql: texts.closing, params: [limit, leftOut] },
      { sql: texts.purgeableTops, params: [now, limit, leftOut] },
    ]);
  return {
    overdueTops: topsIn(overdue),
    deadTops: decodeAll(sessions, dead),
    remindableTops: topsIn(remindable),
    answeredTops: decodeAll(sessions, answered),
    wakeableTops: decodeAll(sessions, wakeable),
    unreportedTops: decodeAll(sessions, unreported),
    closing: closings.map((row) => ({
      parent: { rootId: String(row['root_id']), sessionId: String(row['session_id']) },
      subSessionId: String(row['sub_session_id']),
    })),
    purgeableTops: topsIn(purgeable),
  };
}

function topsIn(rows: readonly SqlRow[] = []): SessionRef[] {
  return rows.map((row) => ({ rootId: String(row['root_id']), sessionId: String(row['unit_id']) }));
}
