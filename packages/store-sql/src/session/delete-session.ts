import type { Dialect } from '../dialect.ts';
import type { Statement } from '../driver.ts';

/** The session, if it is there and at the wanted version. */
const named = `select s.session_id from __agents_sessions as s
    where s.session_id = ?1 and (cast(?2 as bigint) is null or s.version = ?2)`;

/** The session that `start` has and all below it; at a root whatever names it as root. */
const treeOf = (start: string, tree: string): string => `${tree} (session_id) as (
    select session_id from ${start}
    union select session_id from __agents_sessions where root_id in (select session_id from ${start})
    union select s.session_id from __agents_sessions as s
      join ${tree} as d on s.parent_session_id = d.session_id)`;

const isIn = (tree: string, column: string): string =>
  `${column} in (select session_id from ${tree})`;
const isDoomed = (column: string): string => isIn('doomed', column);
const isRoot = isIn('held', 'root_id');

/** A child may speak on its parent's stream, which stays then. */
const streamsOf = (
  tree: string,
): string => `select s.stream_id from __agents_sessions as s where ${isIn(tree, 's.session_id')}
    except select s.stream_id from __agents_sessions as s
    where not ${isIn(tree, 's.session_id')}
      and s.stream_id in (select x.stream_id from __agents_sessions as x
        where ${isIn(tree, 'x.session_id')})`;

const doomedStreams = streamsOf('doomed');

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

/** `held` has the session, `doomed` what goes with it. */
const found = `with recursive held as (${named}), ${treeOf('held', 'doomed')}`;

const lockOf = (table: string, key: string, keys: string): string => `select t.${key}, t.xmin as x
    from ${table} as t where t.${key} in (${keys}) order by t.${key} for update of t`;

/** The rows that are there are those of the snapshot. */
const unchanged = (locked: string, table: string, key: string, keys: string): string =>
  `not exists (select 1 from ${table} as t left join ${locked} as l on l.${key} = t.${key}
      where t.${key} in (${keys}) and l.x is distinct from t.xmin)`;

const inTree = 'select session_id from tree';
const inStreams = 'select stream_id from streams';

/**
 * The same where all deletions are on one snapshot. Whoever writes rows of a session or chunks of a stream touches its row, so
 * with these locked and unchanged since the snapshot there is nothing that the deletions do not see; else `held` is empty.
 */
const foundLocked = `with recursive named as (${named}), ${treeOf('named', 'tree')},
  streams as materialized (${streamsOf('tree')}),
  locked as materialized (${lockOf('__agents_sessions', 'session_id', inTree)}),
  locked_streams as materialized (${lockOf('__agents_streams', 'stream_id', inStreams)}),
  held as materialized (select session_id from named
    where ${unchanged('locked', '__agents_sessions', 'session_id', inTree)}
      and ${unchanged('locked_streams', '__agents_streams', 'stream_id', inStreams)}),
  doomed as materialized (select session_id from tree where exists (select 1 from held))`;

const deleteAtOnce = `${foundLocked}, ${deletions.map((sql, index) => `d${index} as (${sql})`).join(', ')}
  select exists (select 1 from held) as deleted from named`;

const deleteOneByOne = deletions.map((sql) => `${found} ${sql}`);

/**
 * A statement per table, or where the dialect can put writes into one, all of them in one. The last one has a row if the
 * session was found, and that says with `deleted: false` that somebody wrote meanwhile: then it is to be tried again.
 */
export function renderDelete(
  sessionId: string,
  version: number | null,
  dialect: Dialect,
): Statement[] {
  const texts = dialect.writesInOneStatement ? [deleteAtOnce] : deleteOneByOne;
  return texts.map((sql) => ({ sql, params: [sessionId, version] }));
}
