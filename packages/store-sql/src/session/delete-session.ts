import type { Dialect } from '../dialect.ts';
import type { Statement } from '../driver.ts';

/** The session, if it is there and at the wanted version. */
const heldOf = (dialect: Dialect): string => `held as (
    select s.session_id from __agents_sessions as s
    where s.session_id = ?1 and (cast(?2 as bigint) is null or s.version = ?2)${dialect.forUpdate})`;

const isRoot = 'root_id in (select session_id from held)';

/** That session and all below it; at a root whatever names it as root. */
const doomed = `doomed (session_id) as (
    select session_id from held
    union select session_id from __agents_sessions where ${isRoot}
    union select s.session_id from __agents_sessions as s
      join doomed as d on s.parent_session_id = d.session_id)`;

const isDoomed = (column: string): string => `${column} in (select session_id from doomed)`;

/** A child may speak on its parent's stream, which stays then. */
const doomedStreams = `select s.stream_id from __agents_sessions as s where ${isDoomed('s.session_id')}
    except select s.stream_id from __agents_sessions as s
    where not ${isDoomed('s.session_id')}
      and s.stream_id in (select x.stream_id from __agents_sessions as x
        where ${isDoomed('x.session_id')})`;

/** Sessions come last: the others find what is theirs through them. */
const deletions: readonly string[] = [
  `delete from __agents_stream_chunks where stream_id in (${doomedStreams})`,
  `delete from __agents_streams where stream_id in (${doomedStreams})`,
  `delete from __agents_open_calls where ${isRoot} or ${isDoomed('owner_session_id')}`,
  `delete from __agents_usage
    where (${isRoot} and root_id <> session_id) or ${isDoomed('session_id')}`,
  ...[
    '__agents_messages',
    '__agents_journal',
    '__agents_sub_session_refs',
    '__agents_checkpoints',
    '__agents_runs',
    '__agents_interrupt_flags',
  ].map((table) => `delete from ${table} where ${isDoomed('session_id')}`),
  `delete from __agents_sessions where ${isDoomed('session_id')} returning session_id`,
];

/**
 * A statement per table, or where the dialect can put writes into one, all of them in one. The last one returns the
 * sessions that were deleted.
 */
export function renderDelete(
  sessionId: string,
  version: number | null,
  dialect: Dialect,
): Statement[] {
  const found = `with recursive ${heldOf(dialect)}, ${doomed}`;
  const params = [sessionId, version];
  if (!dialect.writesInOneStatement) {
    return deletions.map((sql) => ({ sql: `${found} ${sql}`, params }));
  }
  const parts = deletions.map((sql, index) => `d${index} as (${sql})`);
  const last = `d${deletions.length - 1}`;
  return [{ sql: `${found}, ${parts.join(', ')} select session_id from ${last}`, params }];
}
