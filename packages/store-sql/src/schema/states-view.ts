/**
 * What operators' queries of the documents read: public status, and the three maps of human calls.
 * Pending and completed calls are listed at their owner, ownership at the root. Read only.
 */
export const statesView: string = `create view if not exists __agents_states as
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
    coalesce(json_extract(s.failure_reason, '$') = 'aborted', 0) as aborted,
    case
      when json_extract(s.failure_reason, '$') = 'aborted' then json_extract(s.error, '$.message')
    end as abort_reason,
    s.custom_state,
    s.user_id,
    s.tags,
    s.metadata,
    (select json_group_object(c.tool_call_id, json_object(
        'toolName', c.tool_name,
        'kind', c.kind,
        'approvalId', c.approval_id,
        'deadlineAt', c.deadline_at,
        'submittedAt', c.answered_at,
        'outcome', c.outcome,
        'response', json(c.answer)))
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state in ('open', 'answered')
    ) as pending_client_tool_calls,
    (select json_group_object(c.tool_call_id, json_object(
        'toolName', c.tool_name,
        'outcome', c.outcome,
        'submittedAt', c.answered_at,
        'completedAt', c.settled_at))
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state = 'settled'
    ) as completed_client_tool_calls,
    (select json_group_object(c.tool_call_id, c.owner_session_id)
      from __agents_open_calls c
      where c.root_id = s.session_id and c.state in ('open', 'answered')
    ) as client_tool_call_ownership,
    (select min(c.deadline_at)
      from __agents_open_calls c
      where c.owner_session_id = s.session_id and c.state = 'open'
    ) as expires_at,
    case when s.status like 'suspended%' then json_object(
      'suspendedStepId', s.step_id,
      'suspendedAwaitingChildren', json(iif(s.status = 'suspended_awaiting_children', 'true', 'false')),
      'expiresAt', (select min(c.deadline_at)
        from __agents_open_calls c
        where c.owner_session_id = s.session_id and c.state = 'open'))
    end as suspension_context,
    s.resume_count,
    s.version,
    s.created_at,
    s.updated_at
  from __agents_sessions s`;
