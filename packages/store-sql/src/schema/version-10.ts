import type { Dialect } from '../dialect.ts';
import { statesView } from './states-view.ts';

/**
 * The first version, in SQL of SQLite, which the dialect translates. Frozen: a later change is a later version. Each statement can run
 * again.
 */
export function version10(dialect: Dialect): readonly string[] {
  const more = dialect.name === 'postgres' ? postgresTables : [];
  return [...tables, ...more, statesView(dialect)];
}

/** For a later version that makes the table again. */
export function indexesOf(table: string): readonly string[] {
  const isIndex = new RegExp(`^create index [^(]* on ${table} \\(`);
  return tables.filter((statement) => isIndex.test(statement.replaceAll(/\s+/g, ' ')));
}

const postgresTables: readonly string[] = [
  // An absent row cannot be locked, so the session's row names the run that has a pending interrupt.
  `alter table __agents_sessions add column if not exists interrupted_run text collate "C"`,
  `create table if not exists __agents_locks (
    lock_key text not null primary key,
    token integer not null,
    expires_at integer not null
  )`,
];

const tables: readonly string[] = [
  `create table if not exists __agents_sessions (
    session_id text not null primary key,
    root_id text not null,
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
    engine_id text,
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
  )`,
  `create index if not exists __agents_sessions_by_root on __agents_sessions (root_id)`,
  `create index if not exists __agents_sessions_by_parent
    on __agents_sessions (parent_session_id) where parent_session_id is not null`,
  `create index if not exists __agents_sessions_by_stream on __agents_sessions (stream_id)`,
  `create index if not exists __agents_sessions_by_lease on __agents_sessions (status, lease_until)`,
  `create index if not exists __agents_sessions_by_update
    on __agents_sessions (updated_at desc, session_id)`,
  `create index if not exists __agents_sessions_by_user
    on __agents_sessions (user_id, updated_at desc, session_id) where user_id is not null`,

  `create table if not exists __agents_messages (
    id integer primary key,
    session_id text not null,
    sequence integer not null,
    message text not null,
    created_at integer not null,
    role text not null,
    tool_call_id text,
    message_id text,
    unique (session_id, sequence)
  )`,

  `create table if not exists __agents_journal (
    session_id text not null,
    step_id integer not null,
    call_index integer not null,
    kind text not null,
    data text not null,
    created_at integer not null,
    primary key (session_id, step_id, call_index, kind)
  )`,

  `create table if not exists __agents_open_calls (
    root_id text not null,
    tool_call_id text not null,
    part text not null,
    kind text not null,
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
  )`,
  `create index if not exists __agents_open_calls_by_root on __agents_open_calls (root_id, state)`,
  `create index if not exists __agents_open_calls_by_owner on __agents_open_calls (owner_session_id)`,
  `create index if not exists __agents_open_calls_due
    on __agents_open_calls (state, deadline_at) where state = 'open' and deadline_at is not null`,
  `create index if not exists __agents_open_calls_remind
    on __agents_open_calls (state, remind_at) where state = 'open' and remind_at is not null`,
  `create index if not exists __agents_open_calls_answered
    on __agents_open_calls (state, root_id) where state = 'answered'`,
  `create index if not exists __agents_open_calls_inbox
    on __agents_open_calls (opened_at, root_id, tool_call_id, part) where state = 'open'`,
  `create index if not exists __agents_open_calls_of_user
    on __agents_open_calls (user_id, opened_at, root_id, tool_call_id, part)
    where state = 'open' and user_id is not null`,
  `create index if not exists __agents_open_calls_purge
    on __agents_open_calls (purge_at) where state = 'settled' and purge_at is not null`,

  `create table if not exists __agents_sub_session_refs (
    session_id text not null,
    sub_session_id text not null,
    agent_type text not null,
    parent_tool_call_id text not null,
    step_id integer not null,
    call_index integer not null,
    state text not null,
    continuation integer not null,
    mode text not null,
    name text,
    close_reason text,
    started_at integer not null,
    completed_at integer,
    primary key (session_id, sub_session_id)
  )`,
  `create index if not exists __agents_sub_session_refs_closing
    on __agents_sub_session_refs (started_at) where state = 'closing'`,

  `create table if not exists __agents_checkpoints (
    session_id text not null,
    version integer not null,
    checkpoint_id text not null,
    run_id text not null,
    step_id integer not null,
    step_count integer not null,
    status text not null,
    message_count integer not null,
    custom_state text not null,
    stream_sequence integer not null,
    timestamp integer not null,
    primary key (session_id, version)
  )`,

  `create table if not exists __agents_runs (
    run_id text not null primary key,
    session_id text not null,
    turn integer not null,
    status text not null,
    trigger_kind text not null,
    step_count integer not null,
    previous_run_id text,
    from_checkpoint_id text,
    start_sequence integer not null,
    started_at integer not null,
    completed_at integer
  )`,
  `create index if not exists __agents_runs_by_session on __agents_runs (session_id, turn)`,

  `create table if not exists __agents_interrupt_flags (
    session_id text not null,
    run_id text not null,
    reason text,
    timestamp integer not null,
    primary key (session_id, run_id)
  ) without rowid`,

  `create table if not exists __agents_usage (
    id text not null primary key,
    session_id text not null,
    root_id text not null,
    run_id text not null,
    step_count integer not null,
    kind text not null,
    source_type text not null,
    source_name text not null,
    data text not null,
    timestamp integer not null
  )`,
  `create index if not exists __agents_usage_by_session on __agents_usage (session_id, timestamp)`,
  `create index if not exists __agents_usage_by_root on __agents_usage (root_id)`,

  `create table if not exists __agents_streams (
    stream_id text not null primary key,
    status text not null,
    head integer not null,
    agent_id text,
    agent_type text,
    final_output text,
    error text,
    created_at integer not null,
    updated_at integer not null
  )`,
  `create table if not exists __agents_stream_chunks (
    stream_id text not null,
    sequence integer not null,
    chunk text not null,
    dedupe_key text,
    created_at integer not null,
    primary key (stream_id, sequence)
  ) without rowid`,
  `create unique index if not exists __agents_stream_chunks_dedupe
    on __agents_stream_chunks (stream_id, dedupe_key) where dedupe_key is not null`,
];
