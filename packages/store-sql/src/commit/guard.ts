import type { CommitPlan, SessionGuard } from '@helix-agents/core/store';
import type { SqlParam } from '../driver.ts';
import { jsonParam } from './json-param.ts';

const GUARD_PARAMS = 7;

/**
 * SQL that is true when every guard holds. `guardParams` start at the given number. Lists are passed as JSON, so that the text is the
 * same for every plan.
 */
export function guardClause(first: number): string {
  const [sessions, calls, references, records, interrupts, stops, now] = Array.from(
    { length: GUARD_PARAMS },
    (_, offset) => `?${first + offset}`,
  );
  return `not exists (
      select 1 from json_each(${sessions}) as g
      left join __agents_sessions as s on s.session_id = g.value ->> 'id'
      where case when g.value ->> 'absent' then s.session_id is not null
        else s.session_id is null
          or s.version <> coalesce(g.value ->> 'version', s.version)
          or s.epoch <> coalesce(g.value ->> 'epoch', s.epoch)
          or s.step_id <> coalesce(g.value ->> 'stepId', s.step_id)
          or s.records <> coalesce(g.value ->> 'records', s.records)
          or (g.value ->> 'status' is not null
            and s.status not in (select value from json_each(g.value, '$.status')))
          or (g.value ->> 'closed' = 0 and s.closed = 1)
          or (g.value ->> 'leaseExpired' and coalesce(s.lease_until > ${now}, 0))
        end)
    and not exists (
      select 1 from json_each(${calls}) as g
      where not exists (select 1 from __agents_open_calls as c
        where c.root_id = g.value ->> 0 and c.tool_call_id = g.value ->> 1 and c.part = g.value ->> 2
          and c.state = g.value ->> 3 and (g.value ->> 4 is null or c.outcome = g.value ->> 4)))
    and not exists (
      select 1 from json_each(${references}) as g
      where not exists (select 1 from __agents_sub_session_refs as r
        where r.session_id = g.value ->> 0 and r.sub_session_id = g.value ->> 1
          and r.state = g.value ->> 2))
    and not exists (
      select 1 from json_each(${records}) as g
      join __agents_journal as j on j.session_id = g.value ->> 0 and j.step_id = g.value ->> 1
        and j.call_index = g.value ->> 2 and j.kind = g.value ->> 3)
    and not exists (
      select 1 from json_each(${interrupts}) as g
      join __agents_interrupt_flags as i on i.session_id = g.value ->> 0 and i.run_id = g.value ->> 1)
    and not exists (
      select 1 from json_each(${stops}) as g
      where not exists (select 1 from __agents_interrupt_flags as i
        where i.session_id = g.value ->> 0 and i.run_id = g.value ->> 1
          and i.scope = coalesce(g.value ->> 2, i.scope)))`;
}

export function guardParams(plan: CommitPlan): readonly SqlParam[] {
  const { guard } = plan;
  const calls = [
    ...(guard.callsOpen ?? []).map((key) => [key.rootId, key.toolCallId, key.part, 'open', null]),
    ...(guard.calls ?? []).map(({ key, state, outcome }) => [
      key.rootId,
      key.toolCallId,
      key.part,
      state,
      outcome,
    ]),
  ];
  const references = (guard.references ?? []).map((reference) => [
    reference.sessionId,
    reference.subSessionId,
    reference.state,
  ]);
  const records = (guard.journalAbsent ?? []).map((record) => [
    record.sessionId,
    record.stepId,
    record.index,
    record.kind,
  ]);
  const interrupts = (guard.interruptsAbsent ?? []).map(({ sessionId, runId }) => [
    sessionId,
    runId,
  ]);
  const stops = (guard.interruptsPresent ?? []).map(({ sessionId, runId, scope = null }) => [
    sessionId,
    runId,
    scope,
  ]);
  return [
    jsonParam(sessionGuards(plan).map(({ sessionId, ...rest }) => ({ id: sessionId, ...rest }))),
    jsonParam(calls),
    jsonParam(references),
    jsonParam(records),
    jsonParam(interrupts),
    jsonParam(stops),
    plan.now,
  ];
}

/** The guards of the plan; for each updated session without one, a guard that it exists. */
export function sessionGuards(plan: CommitPlan): readonly SessionGuard[] {
  const guards = plan.guard.sessions ?? [];
  const named = new Set(guards.map(({ sessionId }) => sessionId));
  const others = (plan.sessions ?? []).filter(({ sessionId }) => !named.has(sessionId));
  return [...guards, ...others.map(({ sessionId }) => ({ sessionId }))];
}
