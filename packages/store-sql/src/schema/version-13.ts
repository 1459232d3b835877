import type { Dialect } from '../dialect.ts';
import { statesView } from './states-view.ts';
import { indexesOf } from './version-10.ts';

/**
 * A session has its route, from the root to itself, and its unit, the root; a human call has its unit. `engine_id`, which nothing
 * used, is gone. Routes of the rows that are there are computed once, here. Frozen: a later change is a later version. Each
 * statement may run again.
 */
export function version13(dialect: Dialect): readonly string[] {
  const view = statesView(dialect);
  if (dialect.name === 'postgres') return [...postgres, view];
  return [...sqlite, 'drop view if exists __agents_states', view];
}

/**
 * Of a session whose parent is in another database no more is known than its root and its parent. `list` makes a JSON list, `longer`
 * adds to one.
 */
const routes = (
  list: (...ids: readonly string[]) => string,
  longer: (route: string, id: string) => string,
): string => `with recursive tree (session_id, route) as (
    select s.session_id, case
        when s.parent_session_id is null then ${list('s.session_id')}
        when s.parent_session_id = s.root_id then ${list('s.root_id', 's.session_id')}
        else ${list('s.root_id', 's.parent_session_id', 's.session_id')}
      end
      from __agents_sessions as s
      where s.parent_session_id is null or not exists (
        select 1 from __agents_sessions as p where p.session_id = s.parent_session_id)
    union all select s.session_id, ${longer('t.route', 's.session_id')}
      from __agents_sessions as s join tree as t on s.parent_session_id = t.session_id)`;

const postgres: readonly string[] = [
  `alter table __agents_sessions
    add column if not exists route text collate "C", add column if not exists unit_id text collate "C"`,
  `${routes(
    (...ids) => `jsonb_build_array(${ids.join(', ')})`,
    (route, id) => `${route} || to_jsonb(${id})`,
  )}
  update __agents_sessions as s set route = t.route::text, unit_id = s.root_id
    from tree as t where t.session_id = s.session_id and s.route is null`,
  `alter table __agents_sessions alter column route set not null, alter column unit_id set not null,
    drop column if exists engine_id`,
  `alter table __agents_open_calls add column if not exists unit_id text collate "C"`,
  `update __agents_open_calls set unit_id = root_id where unit_id is null`,
  `alter table __agents_open_calls alter column unit_id set not null`,
];

const sessionColumns = `session_id, root_id, parent_session_id, parent_step_id, parent_index, agent_type, stream_id,
    version, epoch, records, status, run_id, turn, started, host_kind, lease_owner, lease_until, recoveries, step_id,
    step_count, step_message, message_count, custom_state, output, error, failure_reason, closed, last_commit,
    resume_count, user_id, tags, metadata, created_at, updated_at, write_id`;

/** Also for version 14, which reads the table: a later version may have died while it was away. */
export const createSessions = (table: string): string => `create table if not exists ${table} (
    session_id text not null primary key,
    root_id text not null,
    route text not null,
    unit_id text not null,
    parent_session_id text,
    parent_step_id integer,
    parent_index integer,
    agent_type text not null,
    stream_id text not null,
    version integer not null,
    epoch integer not null,
    records integer not null,
    status text not null,
    run_id text not null,
    turn integer not null,
    started integer not null,
    host_kind text not null,
    lease_owner text,
    lease_until integer,
    recoveries integer not null,
    step_id integer not null,
    step_count integer not null,
    step_message integer,
    message_count integer not null,
    custom_state text not null,
    output text,
    error text,
    failure_reason text,
    closed integer not null,
    last_commit text not null,
    resume_count integer not null,
    user_id text,
    tags text not null,
    metadata text not null,
    created_at integer not null,
    updated_at integer not null,
    write_id text not null default ''
  )`;

const callColumns = `root_id, tool_call_id, part, kind, owner_session_id, owner_step_id, owner_index, route,
    owner_agent_type, tool_name, input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome,
    answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at`;

const createCalls = (table: string): string => `create table if not exists ${table} (
    root_id text not null,
    tool_call_id text not null,
    part text not null,
    kind text not null,
    unit_id text not null,
    owner_session_id text not null,
    owner_step_id integer not null,
    owner_index integer not null,
    route text not null,
    owner_agent_type text not null,
    tool_name text not null,
    input text not null,
    input_hash text not null,
    approval_id text,
    timeout_ms integer,
    deadline_at integer,
    remind_at integer,
    state text not null,
    outcome text,
    answer text,
    answered_by text,
    answered_at integer,
    settled_at integer,
    purge_at integer,
    retention_ms integer not null,
    user_id text,
    opened_at integer not null,
    primary key (root_id, tool_call_id, part)
  )`;

/**
 * SQLite adds no column twice and no column without a default, so the table is made again, as in version 11. `fill` copies its rows
 * into the one where they wait, from either form of it.
 */
function remake(
  table: string,
  create: (table: string) => string,
  columns: string,
  fill: (to: string) => string,
): readonly string[] {
  const kept = `${table}_kept`;
  return [
    create(kept),
    create(table),
    fill(kept),
    `drop table ${table}`,
    create(table),
    ...indexesOf(table),
    `insert or ignore into ${table} (${columns}) select ${columns} from ${kept}`,
    `drop table ${kept}`,
  ];
}

const columnsOf = (alias: string, columns: string): string =>
  columns.replaceAll(/\w+/g, (name) => `${alias}.${name}`);

const sqlite: readonly string[] = [
  ...remake(
    '__agents_sessions',
    createSessions,
    `${sessionColumns}, route, unit_id`,
    (to) => `insert or ignore into ${to} (${sessionColumns}, route, unit_id)
  ${routes(
    (...ids) => `json_array(${ids.join(', ')})`,
    (route, id) => `json_insert(${route}, '$[#]', ${id})`,
  )}
  select ${columnsOf('s', sessionColumns)}, t.route, s.root_id
    from __agents_sessions as s join tree as t on t.session_id = s.session_id`,
  ),
  ...remake(
    '__agents_open_calls',
    createCalls,
    `${callColumns}, unit_id`,
    (to) => `insert or ignore into ${to} (${callColumns}, unit_id)
  select ${callColumns}, root_id from __agents_open_calls`,
  ),
];
