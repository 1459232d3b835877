/** Columns of the tables of version 15 on SQLite, one per line. Frozen. */
export const sessionColumns = `
    session_id text not null primary key
    root_id text not null
    route text not null
    unit_id text not null
    parent_session_id text
    parent_step_id integer
    parent_index integer
    agent_type text not null
    stream_id text not null
    version integer not null
    epoch integer not null
    records integer not null
    status text not null
    run_id text not null
    turn integer not null
    started integer not null
    host_kind text not null
    lease_owner text
    lease_until integer
    recoveries integer not null
    step_id integer not null
    step_count integer not null
    step_message integer
    message_count integer not null
    custom_state text not null
    output text
    error text
    failure_reason text
    closed integer not null
    last_commit text not null
    resume_count integer not null
    ends integer not null
    reported integer
    wake_at integer
    stop text
    user_id text
    tags text not null
    metadata text not null
    created_at integer not null
    updated_at integer not null
    write_id text not null default ''`;

export const callColumns = `
    root_id text not null
    tool_call_id text not null
    part text not null
    kind text not null
    unit_id text not null
    owner_session_id text not null
    owner_step_id integer not null
    owner_index integer not null
    route text not null
    owner_agent_type text not null
    tool_name text not null
    input text not null
    raw_input text
    input_hash text not null
    approval_id text
    timeout_ms integer
    deadline_at integer
    remind_at integer
    state text not null
    outcome text
    answer text
    answered_by text
    answered_at integer
    submission_id text
    settled_at integer
    purge_at integer
    retention_ms integer not null
    user_id text
    remote text
    opened_at integer not null`;

export const referenceColumns = `
    session_id text not null
    sub_session_id text not null
    agent_type text not null
    parent_tool_call_id text not null
    step_id integer not null
    call_index integer not null
    state text not null
    continuation integer not null
    status text not null
    remote_json text
    mode text not null
    name text
    generation integer not null
    started integer not null
    told integer not null
    asked integer not null
    wake integer not null
    closing_step integer
    closing_at integer
    close_reason text
    started_at integer not null
    completed_at integer`;

export const interruptColumns = `
    session_id text not null
    run_id text not null
    interrupted integer not null default 1
    reason text
    scope text not null default 'tree'
    timestamp integer not null`;
