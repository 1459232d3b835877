import type { Statement } from '../driver.ts';

/** The session and all below it; at a root whatever names it as root. */
const doomed = `with recursive doomed (session_id) as (
    select ?1
    union select session_id from __agents_sessions where root_id = ?1
    union select s.session_id from __agents_sessions as s
      join doomed as d on s.parent_session_id = d.session_id)`;

/** A child may speak on its parent's stream, which stays then. */
const doomedStreams = `select s.stream_id from __agents_sessions as s
    where s.session_id in (select session_id from doomed)
    except select s.stream_id from __agents_sessions as s
    where s.session_id not in (select session_id from doomed)
      and s.stream_id in (select x.stream_id from __agents_sessions as x
        where x.session_id in (select session_id from doomed))`;

const bySession = [
  '__agents_messages',
  '__agents_journal',
  '__agents_sub_session_refs',
  '__agents_checkpoints',
  '__agents_runs',
  '__agents_interrupt_flags',
  '__agents_usage',
  // Last: the others find their sessions through it.
  '__agents_sessions',
];

const texts: readonly string[] = [
  `${doomed} delete from __agents_stream_chunks where stream_id in (${doomedStreams})`,
  `${doomed} delete from __agents_streams where stream_id in (${doomedStreams})`,
  `${doomed} delete from __agents_open_calls where owner_session_id in (select session_id from doomed)`,
  `delete from __agents_open_calls where root_id = ?1`,
  `delete from __agents_usage where root_id = ?1`,
  ...bySession.map(
    (table) => `${doomed} delete from ${table} where session_id in (select session_id from doomed)`,
  ),
];

export function renderDelete(sessionId: string): Statement[] {
  return texts.map((sql) => ({ sql, params: [sessionId] }));
}
