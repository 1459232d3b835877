import type { DueWork, SessionIndex } from '@helix-agents/core';
import type { SqlDriver } from '../driver.ts';
import { selectList } from '../rows/column.ts';
import { sessions } from '../rows/tables.ts';
import { decodeAll } from './session-reads.ts';

/** The plus keeps the planner from walking all calls in the order of roots. */
const overdueRoots = `select distinct +c.root_id as root_id from __agents_open_calls as c
  where c.state = 'open' and c.deadline_at <= ?1 limit ?2`;

const deadRoots = `select ${selectList(sessions, 's')} from __agents_sessions as s
  where s.status = 'running' and s.session_id = s.root_id
    and (s.lease_until <= ?1 or (s.host_kind = ?3 and s.started = 0))
  order by s.updated_at limit ?2`;

const closing = `select r.session_id, r.sub_session_id, s.root_id
  from __agents_sub_session_refs as r join __agents_sessions as s on s.session_id = r.session_id
  where r.state = 'closing' order by r.started_at limit ?1`;

const purgeableRoots = `select distinct +c.root_id as root_id from __agents_open_calls as c
  where c.state = 'settled' and c.purge_at <= ?1 limit ?2`;

export async function findDue(
  driver: SqlDriver,
  { now, hostKind, limit }: Parameters<SessionIndex['findDue']>[0],
): Promise<DueWork> {
  const [overdue = [], dead = [], closings = [], purgeable = []] = await driver.readBatch([
    { sql: overdueRoots, params: [now, limit] },
    { sql: deadRoots, params: [now, limit, hostKind] },
    { sql: closing, params: [limit] },
    { sql: purgeableRoots, params: [now, limit] },
  ]);
  return {
    overdueRoots: overdue.map((row) => String(row['root_id'])),
    deadRoots: decodeAll(sessions, dead),
    closing: closings.map((row) => ({
      parent: { rootId: String(row['root_id']), sessionId: String(row['session_id']) },
      subSessionId: String(row['sub_session_id']),
    })),
    purgeableRoots: purgeable.map((row) => String(row['root_id'])),
  };
}
