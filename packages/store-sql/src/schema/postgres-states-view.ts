/** `states-view.ts` for Postgres: the same columns. */
export const postgresStatesView: string = `create or replace view __agents_states as
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
    s.error::json ->> 'message' as error,
    s.failure_reason::json #>> '{}' as failure_reason,
    case when s.failure_reason::json #>> '{}' = 'aborted' then 1 else 0 end as aborted,
    case
      when s.failure_reason::json #>> '{}' = 'aborted' then s.error::json ->> 'message'
    end as abort_reason,
    s.custom_state,
    s.user_id,
    s.tags,
    s.metadata,
    (select coalesce(json_object_agg(c.tool_call_id, json_build_object(
        'toolName', c.tool_name,
        'kind', c.kind,
        'approvalId', c.approval_id,
        'deadlineAt', c.deadline_at,
        'submittedAt', c.answered_at,
        'outcome', c.outcome,
        'response', c.answer::json)), '{}')::text
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state in ('open', 'answered')
    ) as pending_client_tool_calls,
    (select coalesce(json_object_agg(c.tool_call_id, json_build_object(
        'toolName', c.tool_name,
        'outcome', c.outcome,
        'submittedAt', c.answered_at,
        'completedAt', c.settled_at)), '{}')::text
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state = 'settled'
    ) as completed_client_tool_calls,
    (select coalesce(json_object_agg(c.tool_call_id, c.owner_session_id), '{}')::text
      from __agents_open_calls c
      where c.root_id = s.session_id and c.state in ('open', 'answered')
    ) as client_tool_call_ownership,
    (select min(c.deadline_at)
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state = 'open'
    ) as expires_at,
    case when s.status like 'suspended%' then json_build_object(
      'suspendedStepId', s.step_id,
      'suspendedAwaitingChildren', s.status = 'suspended_awaiting_children',
      'expiresAt', (select min(c.deadline_at)
        from __agents_open_calls c
        where c.owner_session_id = s.session_id and c.state = 'open'))::text
    end as suspension_context,
    s.resume_count,
    s.version,
    s.created_at,
    s.updated_at
  from __agents_sessions s`;
