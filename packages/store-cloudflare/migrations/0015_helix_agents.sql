create table if not exists __agents_migrations (version integer not null primary key);
insert into __agents_migrations (version)
        select version from __agents_migrations where version >= 15;
create table if not exists __agents_sessions (
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
  );
create index if not exists __agents_sessions_by_root on __agents_sessions (root_id);
create index if not exists __agents_sessions_by_parent
    on __agents_sessions (parent_session_id) where parent_session_id is not null;
create index if not exists __agents_sessions_by_stream on __agents_sessions (stream_id);
create index if not exists __agents_sessions_by_lease on __agents_sessions (status, lease_until);
create index if not exists __agents_sessions_by_update
    on __agents_sessions (updated_at desc, session_id);
create index if not exists __agents_sessions_by_user
    on __agents_sessions (user_id, updated_at desc, session_id) where user_id is not null;
create table if not exists __agents_messages (
    id integer primary key,
    session_id text not null,
    sequence integer not null,
    message text not null,
    created_at integer not null,
    role text not null,
    tool_call_id text,
    message_id text,
    unique (session_id, sequence)
  );
create table if not exists __agents_journal (
    session_id text not null,
    step_id integer not null,
    call_index integer not null,
    kind text not null,
    data text not null,
    created_at integer not null,
    primary key (session_id, step_id, call_index, kind)
  );
create table if not exists __agents_open_calls (
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
  );
create index if not exists __agents_open_calls_by_root on __agents_open_calls (root_id, state);
create index if not exists __agents_open_calls_by_owner on __agents_open_calls (owner_session_id);
create index if not exists __agents_open_calls_due
    on __agents_open_calls (state, deadline_at) where state = 'open' and deadline_at is not null;
create index if not exists __agents_open_calls_remind
    on __agents_open_calls (state, remind_at) where state = 'open' and remind_at is not null;
create index if not exists __agents_open_calls_answered
    on __agents_open_calls (state, root_id) where state = 'answered';
create index if not exists __agents_open_calls_inbox
    on __agents_open_calls (opened_at, root_id, tool_call_id, part) where state = 'open';
create index if not exists __agents_open_calls_of_user
    on __agents_open_calls (user_id, opened_at, root_id, tool_call_id, part)
    where state = 'open' and user_id is not null;
create index if not exists __agents_open_calls_purge
    on __agents_open_calls (purge_at) where state = 'settled' and purge_at is not null;
create table if not exists __agents_sub_session_refs (
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
  );
create index if not exists __agents_sub_session_refs_closing
    on __agents_sub_session_refs (started_at) where state = 'closing';
create table if not exists __agents_checkpoints (
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
  );
create table if not exists __agents_runs (
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
  );
create index if not exists __agents_runs_by_session on __agents_runs (session_id, turn);
create table if not exists __agents_interrupt_flags (
    session_id text not null,
    run_id text not null,
    reason text,
    timestamp integer not null,
    primary key (session_id, run_id)
  ) without rowid;
create table if not exists __agents_usage (
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
  );
create index if not exists __agents_usage_by_session on __agents_usage (session_id, timestamp);
create index if not exists __agents_usage_by_root on __agents_usage (root_id);
create table if not exists __agents_streams (
    stream_id text not null primary key,
    status text not null,
    head integer not null,
    agent_id text,
    agent_type text,
    final_output text,
    error text,
    created_at integer not null,
    updated_at integer not null
  );
create table if not exists __agents_stream_chunks (
    stream_id text not null,
    sequence integer not null,
    chunk text not null,
    dedupe_key text,
    created_at integer not null,
    primary key (stream_id, sequence)
  ) without rowid;
create unique index if not exists __agents_stream_chunks_dedupe
    on __agents_stream_chunks (stream_id, dedupe_key) where dedupe_key is not null;
create view if not exists __agents_states as
  select
    s.session_id,
    s.agent_type,
    s.parent_session_id,
    s.root_id as root_session_id,
    s.stream_id,
    s.run_id,
    s.step_count,
    case
      when s.status in ('interrupted', 'completed', 'failed') then s.status
      else 'active'
    end as status,
    s.status as run_status,
    s.output,
    json_extract(s.error, '$.message') as error,
    json_extract(s.failure_reason, '$') as failure_reason,
    case when json_extract(s.failure_reason, '$') = 'aborted' then 1 else 0 end as aborted,
    case when json_extract(s.failure_reason, '$') = 'aborted' then json_extract(s.error, '$.message') end as abort_reason,
    s.custom_state,
    s.user_id,
    s.tags,
    s.metadata,
    (select json_group_object(c.tool_call_id || case when c.part = '' then '' else '#' || c.part end, json_object(
        'toolCallId', c.tool_call_id,
        'toolName', c.tool_name,
        'kind', c.kind,
        'approvalId', c.approval_id,
        'deadlineAt', c.deadline_at,
        'submittedAt', c.answered_at,
        'outcome', c.outcome,
        'response', json(c.answer)))
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and (c.state = 'open' or (c.state = 'answered'
        and s.status <> 'interrupted' and c.outcome not in ('cancelled', 'superseded')))) as pending_client_tool_calls,
    (select json_group_object(c.tool_call_id || case when c.part = '' then '' else '#' || c.part end, json_object(
        'toolCallId', c.tool_call_id,
        'toolName', c.tool_name,
        'outcome', c.outcome,
        'submittedAt', c.answered_at,
        'completedAt', c.settled_at))
      from __agents_open_calls c
      where c.root_id = s.session_id and c.state = 'settled' and coalesce(c.purge_at > (unixepoch('subsec') * 1000), true)) as completed_client_tool_calls,
    (select json_group_object(c.tool_call_id || case when c.part = '' then '' else '#' || c.part end, c.owner_session_id)
      from __agents_open_calls c
      where c.root_id = s.session_id and (c.state = 'open' or (c.state = 'answered'
        and s.status <> 'interrupted' and c.outcome not in ('cancelled', 'superseded')))) as client_tool_call_ownership,
    (select min(c.deadline_at)
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state = 'open') as expires_at,
    case when s.status like 'suspended%' then json_object(
        'suspendedStepId', s.step_id,
        'suspendedAwaitingChildren', json((select json_group_array(distinct c.owner_session_id) from __agents_open_calls c
      where c.root_id = s.root_id and c.state <> 'settled' and c.owner_session_id <> s.session_id
        and exists (select 1 from json_each(c.route) as item where item.value = s.session_id))),
        'tracingContext', json_object(
        'userId', s.user_id,
        'tags', json(s.tags),
        'metadata', json(s.metadata)),
        'expiresAt', (select min(c.deadline_at)
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state = 'open'),
        'failureReason', json_extract(s.failure_reason, '$')) end as suspension_context,
    s.resume_count,
    s.version,
    s.created_at,
    s.updated_at
  from __agents_sessions s;
create table if not exists __agents_usage_kept (
    id text not null,
    session_id text not null,
    root_id text not null,
    run_id text not null,
    step_count integer not null,
    kind text not null,
    source_type text not null,
    source_name text not null,
    data text not null,
    timestamp integer not null,
    unique (session_id, id)
  );
create table if not exists __agents_usage (
    id text not null,
    session_id text not null,
    root_id text not null,
    run_id text not null,
    step_count integer not null,
    kind text not null,
    source_type text not null,
    source_name text not null,
    data text not null,
    timestamp integer not null,
    unique (session_id, id)
  );
insert or ignore into __agents_usage_kept (id, session_id, root_id, run_id, step_count, kind, source_type, source_name, data, timestamp) select id, session_id, root_id, run_id, step_count, kind, source_type, source_name, data, timestamp from __agents_usage order by rowid;
drop table __agents_usage;
create table if not exists __agents_usage (
    id text not null,
    session_id text not null,
    root_id text not null,
    run_id text not null,
    step_count integer not null,
    kind text not null,
    source_type text not null,
    source_name text not null,
    data text not null,
    timestamp integer not null,
    unique (session_id, id)
  );
create index if not exists __agents_usage_by_root
    on __agents_usage (root_id) where root_id <> session_id;
insert or ignore into __agents_usage (id, session_id, root_id, run_id, step_count, kind, source_type, source_name, data, timestamp) select id, session_id, root_id, run_id, step_count, kind, source_type, source_name, data, timestamp from __agents_usage_kept order by rowid;
drop table __agents_usage_kept;
create table if not exists __agents_sessions_kept (
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
  );
create table if not exists __agents_sessions (
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
  );
insert or ignore into __agents_sessions_kept (session_id, root_id, parent_session_id, parent_step_id, parent_index, agent_type, stream_id,
    version, epoch, records, status, run_id, turn, started, host_kind, lease_owner, lease_until, recoveries, step_id,
    step_count, step_message, message_count, custom_state, output, error, failure_reason, closed, last_commit,
    resume_count, user_id, tags, metadata, created_at, updated_at, write_id, route, unit_id)
  with recursive tree (session_id, route) as (
    select s.session_id, case
        when s.parent_session_id is null then json_array(s.session_id)
        when s.parent_session_id = s.root_id then json_array(s.root_id, s.session_id)
        else json_array(s.root_id, s.parent_session_id, s.session_id)
      end
      from __agents_sessions as s
      where s.parent_session_id is null or not exists (
        select 1 from __agents_sessions as p where p.session_id = s.parent_session_id)
    union all select s.session_id, json_insert(t.route, '$[#]', s.session_id)
      from __agents_sessions as s join tree as t on s.parent_session_id = t.session_id)
  select s.session_id, s.root_id, s.parent_session_id, s.parent_step_id, s.parent_index, s.agent_type, s.stream_id,
    s.version, s.epoch, s.records, s.status, s.run_id, s.turn, s.started, s.host_kind, s.lease_owner, s.lease_until, s.recoveries, s.step_id,
    s.step_count, s.step_message, s.message_count, s.custom_state, s.output, s.error, s.failure_reason, s.closed, s.last_commit,
    s.resume_count, s.user_id, s.tags, s.metadata, s.created_at, s.updated_at, s.write_id, t.route, s.root_id
    from __agents_sessions as s join tree as t on t.session_id = s.session_id;
drop table __agents_sessions;
create table if not exists __agents_sessions (
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
  );
create index if not exists __agents_sessions_by_root on __agents_sessions (root_id);
create index if not exists __agents_sessions_by_parent
    on __agents_sessions (parent_session_id) where parent_session_id is not null;
create index if not exists __agents_sessions_by_stream on __agents_sessions (stream_id);
create index if not exists __agents_sessions_by_lease on __agents_sessions (status, lease_until);
create index if not exists __agents_sessions_by_update
    on __agents_sessions (updated_at desc, session_id);
create index if not exists __agents_sessions_by_user
    on __agents_sessions (user_id, updated_at desc, session_id) where user_id is not null;
insert or ignore into __agents_sessions (session_id, root_id, parent_session_id, parent_step_id, parent_index, agent_type, stream_id,
    version, epoch, records, status, run_id, turn, started, host_kind, lease_owner, lease_until, recoveries, step_id,
    step_count, step_message, message_count, custom_state, output, error, failure_reason, closed, last_commit,
    resume_count, user_id, tags, metadata, created_at, updated_at, write_id, route, unit_id) select session_id, root_id, parent_session_id, parent_step_id, parent_index, agent_type, stream_id,
    version, epoch, records, status, run_id, turn, started, host_kind, lease_owner, lease_until, recoveries, step_id,
    step_count, step_message, message_count, custom_state, output, error, failure_reason, closed, last_commit,
    resume_count, user_id, tags, metadata, created_at, updated_at, write_id, route, unit_id from __agents_sessions_kept;
drop table __agents_sessions_kept;
create table if not exists __agents_open_calls_kept (
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
  );
create table if not exists __agents_open_calls (
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
  );
insert or ignore into __agents_open_calls_kept (root_id, tool_call_id, part, kind, owner_session_id, owner_step_id, owner_index, route,
    owner_agent_type, tool_name, input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome,
    answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at, unit_id)
  select root_id, tool_call_id, part, kind, owner_session_id, owner_step_id, owner_index, route,
    owner_agent_type, tool_name, input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome,
    answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at, root_id from __agents_open_calls;
drop table __agents_open_calls;
create table if not exists __agents_open_calls (
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
  );
create index if not exists __agents_open_calls_by_root on __agents_open_calls (root_id, state);
create index if not exists __agents_open_calls_by_owner on __agents_open_calls (owner_session_id);
create index if not exists __agents_open_calls_due
    on __agents_open_calls (state, deadline_at) where state = 'open' and deadline_at is not null;
create index if not exists __agents_open_calls_remind
    on __agents_open_calls (state, remind_at) where state = 'open' and remind_at is not null;
create index if not exists __agents_open_calls_answered
    on __agents_open_calls (state, root_id) where state = 'answered';
create index if not exists __agents_open_calls_inbox
    on __agents_open_calls (opened_at, root_id, tool_call_id, part) where state = 'open';
create index if not exists __agents_open_calls_of_user
    on __agents_open_calls (user_id, opened_at, root_id, tool_call_id, part)
    where state = 'open' and user_id is not null;
create index if not exists __agents_open_calls_purge
    on __agents_open_calls (purge_at) where state = 'settled' and purge_at is not null;
insert or ignore into __agents_open_calls (root_id, tool_call_id, part, kind, owner_session_id, owner_step_id, owner_index, route,
    owner_agent_type, tool_name, input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome,
    answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at, unit_id) select root_id, tool_call_id, part, kind, owner_session_id, owner_step_id, owner_index, route,
    owner_agent_type, tool_name, input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome,
    answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at, unit_id from __agents_open_calls_kept;
drop table __agents_open_calls_kept;
drop view if exists __agents_states;
create view if not exists __agents_states as
  select
    s.session_id,
    s.agent_type,
    s.parent_session_id,
    s.root_id as root_session_id,
    s.stream_id,
    s.run_id,
    s.step_count,
    case
      when s.status in ('interrupted', 'completed', 'failed') then s.status
      else 'active'
    end as status,
    s.status as run_status,
    s.output,
    json_extract(s.error, '$.message') as error,
    json_extract(s.failure_reason, '$') as failure_reason,
    case when json_extract(s.failure_reason, '$') = 'aborted' then 1 else 0 end as aborted,
    case when json_extract(s.failure_reason, '$') = 'aborted' then json_extract(s.error, '$.message') end as abort_reason,
    s.custom_state,
    s.user_id,
    s.tags,
    s.metadata,
    (select json_group_object(c.tool_call_id || case when c.part = '' then '' else '#' || c.part end, json_object(
        'toolCallId', c.tool_call_id,
        'toolName', c.tool_name,
        'kind', c.kind,
        'approvalId', c.approval_id,
        'deadlineAt', c.deadline_at,
        'submittedAt', c.answered_at,
        'outcome', c.outcome,
        'response', json(c.answer)))
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and (c.state = 'open' or (c.state = 'answered'
        and s.status <> 'interrupted' and c.outcome not in ('cancelled', 'superseded')))) as pending_client_tool_calls,
    (select json_group_object(c.tool_call_id || case when c.part = '' then '' else '#' || c.part end, json_object(
        'toolCallId', c.tool_call_id,
        'toolName', c.tool_name,
        'outcome', c.outcome,
        'submittedAt', c.answered_at,
        'completedAt', c.settled_at))
      from __agents_open_calls c
      where c.root_id = s.session_id and c.state = 'settled' and coalesce(c.purge_at > (unixepoch('subsec') * 1000), true)) as completed_client_tool_calls,
    (select json_group_object(c.tool_call_id || case when c.part = '' then '' else '#' || c.part end, c.owner_session_id)
      from __agents_open_calls c
      where c.root_id = s.session_id and (c.state = 'open' or (c.state = 'answered'
        and s.status <> 'interrupted' and c.outcome not in ('cancelled', 'superseded')))) as client_tool_call_ownership,
    (select min(c.deadline_at)
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state = 'open') as expires_at,
    case when s.status like 'suspended%' then json_object(
        'suspendedStepId', s.step_id,
        'suspendedAwaitingChildren', json((select json_group_array(distinct c.owner_session_id) from __agents_open_calls c
      where c.root_id = s.root_id and c.state <> 'settled' and c.owner_session_id <> s.session_id
        and exists (select 1 from json_each(c.route) as item where item.value = s.session_id))),
        'tracingContext', json_object(
        'userId', s.user_id,
        'tags', json(s.tags),
        'metadata', json(s.metadata)),
        'expiresAt', (select min(c.deadline_at)
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state = 'open'),
        'failureReason', json_extract(s.failure_reason, '$')) end as suspension_context,
    s.resume_count,
    s.version,
    s.created_at,
    s.updated_at
  from __agents_sessions s;
create index if not exists __agents_messages_twice on __agents_messages (session_id, message_id, sequence)
    where role = 'user';
update __agents_messages as m set message_id = printf('%012d', m.sequence)
    where m.role = 'user' and exists (select 1 from __agents_messages as f
      where f.role = 'user' and f.session_id = m.session_id and f.message_id = m.message_id
        and f.sequence < m.sequence);
create unique index if not exists __agents_messages_by_id on __agents_messages (session_id, message_id)
    where role = 'user';
drop index if exists __agents_messages_twice;
create table if not exists __agents_open_calls_kept (
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
    raw_input text,
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
  );
create table if not exists __agents_open_calls (
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
    raw_input text,
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
  );
insert or ignore into __agents_open_calls_kept (root_id, tool_call_id, part, kind, unit_id, owner_session_id, owner_step_id, owner_index, route,
    owner_agent_type, tool_name, input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome,
    answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at) select root_id, tool_call_id, part, kind, unit_id, owner_session_id, owner_step_id, owner_index, route,
    owner_agent_type, tool_name, input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome,
    answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at from __agents_open_calls;
drop table __agents_open_calls;
create table if not exists __agents_open_calls (
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
    raw_input text,
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
  );
create index if not exists __agents_open_calls_by_root on __agents_open_calls (root_id, state);
create index if not exists __agents_open_calls_by_owner on __agents_open_calls (owner_session_id);
create index if not exists __agents_open_calls_due
    on __agents_open_calls (state, deadline_at) where state = 'open' and deadline_at is not null;
create index if not exists __agents_open_calls_remind
    on __agents_open_calls (state, remind_at) where state = 'open' and remind_at is not null;
create index if not exists __agents_open_calls_answered
    on __agents_open_calls (state, root_id) where state = 'answered';
create index if not exists __agents_open_calls_inbox
    on __agents_open_calls (opened_at, root_id, tool_call_id, part) where state = 'open';
create index if not exists __agents_open_calls_of_user
    on __agents_open_calls (user_id, opened_at, root_id, tool_call_id, part)
    where state = 'open' and user_id is not null;
create index if not exists __agents_open_calls_purge
    on __agents_open_calls (purge_at) where state = 'settled' and purge_at is not null;
insert or ignore into __agents_open_calls (root_id, tool_call_id, part, kind, unit_id, owner_session_id, owner_step_id, owner_index, route,
    owner_agent_type, tool_name, input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome,
    answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at) select root_id, tool_call_id, part, kind, unit_id, owner_session_id, owner_step_id, owner_index, route,
    owner_agent_type, tool_name, input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome,
    answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at from __agents_open_calls_kept;
drop table __agents_open_calls_kept;
create table if not exists __agents_sessions (
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
  );
create table if not exists __agents_sub_session_refs_kept (
    session_id text not null,
    sub_session_id text not null,
    agent_type text not null,
    parent_tool_call_id text not null,
    step_id integer not null,
    call_index integer not null,
    state text not null,
    continuation integer not null,
    status text not null,
    remote_json text,
    mode text not null,
    name text,
    close_reason text,
    started_at integer not null,
    completed_at integer,
    primary key (session_id, sub_session_id)
  );
create table if not exists __agents_sub_session_refs (
    session_id text not null,
    sub_session_id text not null,
    agent_type text not null,
    parent_tool_call_id text not null,
    step_id integer not null,
    call_index integer not null,
    state text not null,
    continuation integer not null,
    status text not null,
    remote_json text,
    mode text not null,
    name text,
    close_reason text,
    started_at integer not null,
    completed_at integer,
    primary key (session_id, sub_session_id)
  );
insert or ignore into __agents_sub_session_refs_kept (session_id, sub_session_id, agent_type, parent_tool_call_id, step_id, call_index, state,
    continuation, mode, name, close_reason, started_at, completed_at, status)
    select session_id, sub_session_id, agent_type, parent_tool_call_id, step_id, call_index, state,
    continuation, mode, name, close_reason, started_at, completed_at, case
      when r.state = 'live' then 'active'
      else coalesce((select s.status from __agents_sessions as s
        where s.session_id = r.sub_session_id and s.status in ('completed', 'failed')), 'failed')
    end from __agents_sub_session_refs as r;
drop table __agents_sub_session_refs;
create table if not exists __agents_sub_session_refs (
    session_id text not null,
    sub_session_id text not null,
    agent_type text not null,
    parent_tool_call_id text not null,
    step_id integer not null,
    call_index integer not null,
    state text not null,
    continuation integer not null,
    status text not null,
    remote_json text,
    mode text not null,
    name text,
    close_reason text,
    started_at integer not null,
    completed_at integer,
    primary key (session_id, sub_session_id)
  );
create index if not exists __agents_sub_session_refs_closing
    on __agents_sub_session_refs (started_at) where state = 'closing';
insert or ignore into __agents_sub_session_refs (session_id, sub_session_id, agent_type, parent_tool_call_id, step_id, call_index, state,
    continuation, mode, name, close_reason, started_at, completed_at, status)
    select session_id, sub_session_id, agent_type, parent_tool_call_id, step_id, call_index, state,
    continuation, mode, name, close_reason, started_at, completed_at, status from __agents_sub_session_refs_kept;
drop table __agents_sub_session_refs_kept;
create table if not exists __agents_interrupt_flags_kept (
    session_id text not null,
    run_id text not null,
    interrupted integer not null default 1,
    reason text,
    timestamp integer not null,
    primary key (session_id, run_id)
  ) without rowid;
create table if not exists __agents_interrupt_flags (
    session_id text not null,
    run_id text not null,
    interrupted integer not null default 1,
    reason text,
    timestamp integer not null,
    primary key (session_id, run_id)
  ) without rowid;
insert or ignore into __agents_interrupt_flags_kept (session_id, run_id, reason, timestamp) select session_id, run_id, reason, timestamp from __agents_interrupt_flags;
drop table __agents_interrupt_flags;
create table if not exists __agents_interrupt_flags (
    session_id text not null,
    run_id text not null,
    interrupted integer not null default 1,
    reason text,
    timestamp integer not null,
    primary key (session_id, run_id)
  ) without rowid;
insert or ignore into __agents_interrupt_flags (session_id, run_id, reason, timestamp) select session_id, run_id, reason, timestamp from __agents_interrupt_flags_kept;
drop table __agents_interrupt_flags_kept;
drop view if exists __agents_states;
create view if not exists __agents_states as
  select
    s.session_id,
    s.agent_type,
    s.parent_session_id,
    s.root_id as root_session_id,
    s.stream_id,
    s.run_id,
    s.step_count,
    case
      when s.status in ('interrupted', 'completed', 'failed') then s.status
      else 'active'
    end as status,
    s.status as run_status,
    s.output,
    json_extract(s.error, '$.message') as error,
    json_extract(s.failure_reason, '$') as failure_reason,
    case when json_extract(s.failure_reason, '$') = 'aborted' then 1 else 0 end as aborted,
    case when json_extract(s.failure_reason, '$') = 'aborted' then json_extract(s.error, '$.message') end as abort_reason,
    s.custom_state,
    s.user_id,
    s.tags,
    s.metadata,
    (select json_group_object(c.tool_call_id || case when c.part = '' then '' else '#' || c.part end, json_object(
        'toolCallId', c.tool_call_id,
        'toolName', c.tool_name,
        'kind', c.kind,
        'approvalId', c.approval_id,
        'deadlineAt', c.deadline_at,
        'submittedAt', c.answered_at,
        'outcome', c.outcome,
        'response', json(c.answer)))
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and (c.state = 'open' or (c.state = 'answered'
        and s.status <> 'interrupted' and c.outcome not in ('cancelled', 'superseded')))) as pending_client_tool_calls,
    (select json_group_object(c.tool_call_id || case when c.part = '' then '' else '#' || c.part end, json_object(
        'toolCallId', c.tool_call_id,
        'toolName', c.tool_name,
        'outcome', c.outcome,
        'submittedAt', c.answered_at,
        'completedAt', c.settled_at))
      from __agents_open_calls c
      where c.root_id = s.session_id and c.state = 'settled' and coalesce(c.purge_at > (unixepoch('subsec') * 1000), true)) as completed_client_tool_calls,
    (select json_group_object(c.tool_call_id || case when c.part = '' then '' else '#' || c.part end, c.owner_session_id)
      from __agents_open_calls c
      where c.root_id = s.session_id and (c.state = 'open' or (c.state = 'answered'
        and s.status <> 'interrupted' and c.outcome not in ('cancelled', 'superseded')))) as client_tool_call_ownership,
    (select min(c.deadline_at)
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state = 'open') as expires_at,
    case when s.status like 'suspended%' then json_object(
        'suspendedStepId', s.step_id,
        'suspendedAwaitingChildren', json((select json_group_array(distinct c.owner_session_id) from __agents_open_calls c
      where c.root_id = s.root_id and c.state <> 'settled' and c.owner_session_id <> s.session_id
        and exists (select 1 from json_each(c.route) as item where item.value = s.session_id))),
        'tracingContext', json_object(
        'userId', s.user_id,
        'tags', json(s.tags),
        'metadata', json(s.metadata)),
        'expiresAt', (select min(c.deadline_at)
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state = 'open'),
        'failureReason', json_extract(s.failure_reason, '$')) end as suspension_context,
    s.resume_count,
    s.version,
    s.created_at,
    s.updated_at
  from __agents_sessions s;
create table if not exists __agents_sessions_kept_15 (
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
    ends integer not null,
    reported integer,
    wake_at integer,
    stop text,
    user_id text,
    tags text not null,
    metadata text not null,
    created_at integer not null,
    updated_at integer not null,
    write_id text not null default ''
  );
create table if not exists __agents_sessions (
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
    ends integer not null,
    reported integer,
    wake_at integer,
    stop text,
    user_id text,
    tags text not null,
    metadata text not null,
    created_at integer not null,
    updated_at integer not null,
    write_id text not null default ''
  );
insert or ignore into __agents_sessions_kept_15 (session_id, root_id, route, unit_id, parent_session_id, parent_step_id, parent_index, agent_type, stream_id, version, epoch, records, status, run_id, turn, started, host_kind, lease_owner, lease_until, recoveries, step_id, step_count, step_message, message_count, custom_state, output, error, failure_reason, closed, last_commit, resume_count, user_id, tags, metadata, created_at, updated_at, write_id, ends, reported, wake_at, stop)
    select session_id, root_id, route, unit_id, parent_session_id, parent_step_id, parent_index, agent_type, stream_id, version, epoch, records, status, run_id, turn, started, host_kind, lease_owner, lease_until, recoveries, step_id, step_count, step_message, message_count, custom_state, output, error, failure_reason, closed, last_commit, resume_count, user_id, tags, metadata, created_at, updated_at, write_id, 0, null, null, null from __agents_sessions;
drop table __agents_sessions;
create table if not exists __agents_sessions (
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
    ends integer not null,
    reported integer,
    wake_at integer,
    stop text,
    user_id text,
    tags text not null,
    metadata text not null,
    created_at integer not null,
    updated_at integer not null,
    write_id text not null default ''
  );
create index if not exists __agents_sessions_by_root on __agents_sessions (root_id);
create index if not exists __agents_sessions_by_parent
    on __agents_sessions (parent_session_id) where parent_session_id is not null;
create index if not exists __agents_sessions_by_stream on __agents_sessions (stream_id);
create index if not exists __agents_sessions_by_lease on __agents_sessions (status, lease_until);
create index if not exists __agents_sessions_by_update
    on __agents_sessions (updated_at desc, session_id);
create index if not exists __agents_sessions_by_user
    on __agents_sessions (user_id, updated_at desc, session_id) where user_id is not null;
insert or ignore into __agents_sessions (session_id, root_id, route, unit_id, parent_session_id, parent_step_id, parent_index, agent_type, stream_id, version, epoch, records, status, run_id, turn, started, host_kind, lease_owner, lease_until, recoveries, step_id, step_count, step_message, message_count, custom_state, output, error, failure_reason, closed, last_commit, resume_count, ends, reported, wake_at, stop, user_id, tags, metadata, created_at, updated_at, write_id) select session_id, root_id, route, unit_id, parent_session_id, parent_step_id, parent_index, agent_type, stream_id, version, epoch, records, status, run_id, turn, started, host_kind, lease_owner, lease_until, recoveries, step_id, step_count, step_message, message_count, custom_state, output, error, failure_reason, closed, last_commit, resume_count, ends, reported, wake_at, stop, user_id, tags, metadata, created_at, updated_at, write_id from __agents_sessions_kept_15;
drop table __agents_sessions_kept_15;
create table if not exists __agents_open_calls_kept_15 (
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
    raw_input text,
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
    submission_id text,
    settled_at integer,
    purge_at integer,
    retention_ms integer not null,
    user_id text,
    remote text,
    opened_at integer not null,
    primary key (root_id, tool_call_id, part)
  );
create table if not exists __agents_open_calls (
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
    raw_input text,
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
    submission_id text,
    settled_at integer,
    purge_at integer,
    retention_ms integer not null,
    user_id text,
    remote text,
    opened_at integer not null,
    primary key (root_id, tool_call_id, part)
  );
insert or ignore into __agents_open_calls_kept_15 (root_id, tool_call_id, part, kind, unit_id, owner_session_id, owner_step_id, owner_index, route, owner_agent_type, tool_name, input, raw_input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome, answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at, submission_id, remote)
    select root_id, tool_call_id, part, kind, unit_id, owner_session_id, owner_step_id, owner_index, route, owner_agent_type, tool_name, input, raw_input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome, answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at, null, null from __agents_open_calls;
drop table __agents_open_calls;
create table if not exists __agents_open_calls (
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
    raw_input text,
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
    submission_id text,
    settled_at integer,
    purge_at integer,
    retention_ms integer not null,
    user_id text,
    remote text,
    opened_at integer not null,
    primary key (root_id, tool_call_id, part)
  );
create index if not exists __agents_open_calls_by_root on __agents_open_calls (root_id, state);
create index if not exists __agents_open_calls_by_owner on __agents_open_calls (owner_session_id);
create index if not exists __agents_open_calls_due
    on __agents_open_calls (state, deadline_at) where state = 'open' and deadline_at is not null;
create index if not exists __agents_open_calls_remind
    on __agents_open_calls (state, remind_at) where state = 'open' and remind_at is not null;
create index if not exists __agents_open_calls_answered
    on __agents_open_calls (state, root_id) where state = 'answered';
create index if not exists __agents_open_calls_inbox
    on __agents_open_calls (opened_at, root_id, tool_call_id, part) where state = 'open';
create index if not exists __agents_open_calls_of_user
    on __agents_open_calls (user_id, opened_at, root_id, tool_call_id, part)
    where state = 'open' and user_id is not null;
create index if not exists __agents_open_calls_purge
    on __agents_open_calls (purge_at) where state = 'settled' and purge_at is not null;
insert or ignore into __agents_open_calls (root_id, tool_call_id, part, kind, unit_id, owner_session_id, owner_step_id, owner_index, route, owner_agent_type, tool_name, input, raw_input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome, answer, answered_by, answered_at, submission_id, settled_at, purge_at, retention_ms, user_id, remote, opened_at) select root_id, tool_call_id, part, kind, unit_id, owner_session_id, owner_step_id, owner_index, route, owner_agent_type, tool_name, input, raw_input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome, answer, answered_by, answered_at, submission_id, settled_at, purge_at, retention_ms, user_id, remote, opened_at from __agents_open_calls_kept_15;
drop table __agents_open_calls_kept_15;
create table if not exists __agents_sub_session_refs_kept_15 (
    session_id text not null,
    sub_session_id text not null,
    agent_type text not null,
    parent_tool_call_id text not null,
    step_id integer not null,
    call_index integer not null,
    state text not null,
    continuation integer not null,
    status text not null,
    remote_json text,
    mode text not null,
    name text,
    generation integer not null,
    started integer not null,
    told integer not null,
    asked integer not null,
    wake integer not null,
    closing_step integer,
    closing_at integer,
    close_reason text,
    started_at integer not null,
    completed_at integer,
    primary key (session_id, sub_session_id)
  );
create table if not exists __agents_sub_session_refs (
    session_id text not null,
    sub_session_id text not null,
    agent_type text not null,
    parent_tool_call_id text not null,
    step_id integer not null,
    call_index integer not null,
    state text not null,
    continuation integer not null,
    status text not null,
    remote_json text,
    mode text not null,
    name text,
    generation integer not null,
    started integer not null,
    told integer not null,
    asked integer not null,
    wake integer not null,
    closing_step integer,
    closing_at integer,
    close_reason text,
    started_at integer not null,
    completed_at integer,
    primary key (session_id, sub_session_id)
  );
insert or ignore into __agents_sub_session_refs_kept_15 (session_id, sub_session_id, agent_type, parent_tool_call_id, step_id, call_index, state, continuation, status, remote_json, mode, name, close_reason, started_at, completed_at, generation, started, told, asked, wake, closing_step, closing_at)
    select session_id, sub_session_id, agent_type, parent_tool_call_id, step_id, call_index, state, continuation, status, remote_json, mode, name, close_reason, started_at, completed_at, 1, 0, 0, 0, 0, null, null from __agents_sub_session_refs;
drop table __agents_sub_session_refs;
create table if not exists __agents_sub_session_refs (
    session_id text not null,
    sub_session_id text not null,
    agent_type text not null,
    parent_tool_call_id text not null,
    step_id integer not null,
    call_index integer not null,
    state text not null,
    continuation integer not null,
    status text not null,
    remote_json text,
    mode text not null,
    name text,
    generation integer not null,
    started integer not null,
    told integer not null,
    asked integer not null,
    wake integer not null,
    closing_step integer,
    closing_at integer,
    close_reason text,
    started_at integer not null,
    completed_at integer,
    primary key (session_id, sub_session_id)
  );
create index if not exists __agents_sub_session_refs_closing
    on __agents_sub_session_refs (started_at) where state = 'closing';
insert or ignore into __agents_sub_session_refs (session_id, sub_session_id, agent_type, parent_tool_call_id, step_id, call_index, state, continuation, status, remote_json, mode, name, generation, started, told, asked, wake, closing_step, closing_at, close_reason, started_at, completed_at) select session_id, sub_session_id, agent_type, parent_tool_call_id, step_id, call_index, state, continuation, status, remote_json, mode, name, generation, started, told, asked, wake, closing_step, closing_at, close_reason, started_at, completed_at from __agents_sub_session_refs_kept_15;
drop table __agents_sub_session_refs_kept_15;
create table if not exists __agents_interrupt_flags_kept_15 (
    session_id text not null,
    run_id text not null,
    interrupted integer not null default 1,
    reason text,
    scope text not null default 'tree',
    timestamp integer not null,
    primary key (session_id, run_id)
  ) without rowid;
create table if not exists __agents_interrupt_flags (
    session_id text not null,
    run_id text not null,
    interrupted integer not null default 1,
    reason text,
    scope text not null default 'tree',
    timestamp integer not null,
    primary key (session_id, run_id)
  ) without rowid;
insert or ignore into __agents_interrupt_flags_kept_15 (session_id, run_id, interrupted, reason, timestamp, scope)
    select session_id, run_id, interrupted, reason, timestamp, 'tree' from __agents_interrupt_flags;
drop table __agents_interrupt_flags;
create table if not exists __agents_interrupt_flags (
    session_id text not null,
    run_id text not null,
    interrupted integer not null default 1,
    reason text,
    scope text not null default 'tree',
    timestamp integer not null,
    primary key (session_id, run_id)
  ) without rowid;
insert or ignore into __agents_interrupt_flags (session_id, run_id, interrupted, reason, scope, timestamp) select session_id, run_id, interrupted, reason, scope, timestamp from __agents_interrupt_flags_kept_15;
drop table __agents_interrupt_flags_kept_15;
create table if not exists __agents_inputs (
    root_id text not null,
    session_id text not null,
    input_id text not null,
    kind text not null,
    seq integer not null,
    sender text,
    content text not null,
    end_number integer not null,
    wake integer not null,
    state text not null,
    created_at integer not null,
    settled_at integer,
    purge_at integer,
    primary key (session_id, input_id)
  );
create index if not exists __agents_sessions_wake
    on __agents_sessions (wake_at) where wake_at is not null;
create index if not exists __agents_sessions_unreported
    on __agents_sessions (updated_at) where reported < ends;
create index if not exists __agents_inputs_waiting
    on __agents_inputs (session_id, seq) where state = 'waiting';
create index if not exists __agents_inputs_purge
    on __agents_inputs (purge_at) where purge_at is not null;
delete from __agents_migrations where version < 15;
insert into __agents_migrations (version) values (15) on conflict (version) do nothing;
