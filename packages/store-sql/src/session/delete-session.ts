import type { Dialect } from '../dialect.ts';
import type { Statement } from '../driver.ts';

/** The session, if it exists and has the given version. */
const named = `select s.session_id from __agents_sessions as s
    where s.session_id = ?1 and (cast(?2 as bigint) is null or s.version = ?2)`;

/** The session in `start` and its descendants; for a root, all sessions with that root. */
const treeOf = (start: string, tree: string): string => `${tree} (session_id) as (
    select session_id from ${start}
    union select session_id from __agents_sessions where root_id in (select session_id from ${start})
    union select s.session_id from __agents_sessions as s
      join ${tree} as d on s.parent_session_id = d.session_id)`;

const isIn = (tree: string, column: string): string =>
  `${column} in (select session_id from ${tree})`;
const isDoomed = (column: string): string => isIn('doomed', column);
const isRoot = isIn('held', 'root_id');

/** Streams that only this tree uses: a child may write to its parent's stream, which stays. */
const streamsOf = (
  tree: string,
): string => `select s.stream_id from __agents_sessions as s where ${isIn(tree, 's.session_id')}
    except select s.stream_id from __agents_sessions as s
    where not ${isIn(tree, 's.session_id')}
      and s.stream_id in (select x.stream_id from __agents_sessions as x
        where ${isIn(tree, 'x.session_id')})`;

const doomedStreams = streamsOf('doomed');

/** Sessions come last, because the others join them. */
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
    '__agents_inputs',
  ].map((table) => `delete from ${table} where ${isDoomed('session_id')}`),
  `delete from __agents_sessions where ${isDoomed('session_id')} returning session_id`,
];

/** `held` is the session, `doomed` all sessions that are deleted with it. */
const found = `with recursive held as (${named}), ${treeOf('held', 'doomed')}`;

const lockOf = (table: string, key: string, keys: string): string => `select t.${key}, t.xmin as x
    from ${table} as t where t.${key} in (${keys}) order by t.${key} for update of t`;

/** The rows have not changed since the snapshot. */
const unchanged = (locked: string, table: string, key: string, keys: string): string =>
  `not exists (select 1 from ${table} as t left join ${locked} as l on l.${key} = t.${key}
      where t.${key} in (${keys}) and l.x is distinct from t.xmin)`;

const inTree = 'select session_id from tree';
const inStreams = 'select stream_id from streams';

/**
 * The same for a dialect where all deletions see one snapshot. Every write to a session or stream also writes its row: if these rows are
 * locked and unchanged since the snapshot, the deletions see everything; otherwise `held` is empty.
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
 * One statement per table, or one for all where the dialect allows it. The last statement returns a row if the session was found;
 * `deleted: false` in it means that somebody wrote meanwhile, and the deletion has to be repeated.
 */
export function renderDelete(
  sessionId: string,
  version: number | null,
  dialect: Dialect,
): Statement[] {
  const texts = dialect.writesInOneStatement ? [deleteAtOnce] : deleteOneByOne;
  return texts.map((sql) => ({ sql, params: [sessionId, version] }));
}
