import {
  DEFAULT_APPROVAL_TIMEOUT_MS,
  DEFAULT_CLIENT_TOOL_TIMEOUT_MS,
  DEFAULT_TOMBSTONE_RETENTION_MS,
} from '../../define/defaults.ts';
import { findDefinedTool } from '../../define/effective-tools.ts';
import type { AgentConfig, Tool } from '../../define/types.ts';
import type { OpenCallRow, PlannedCall, SessionRow, StepRecord } from '../../store/rows.ts';
import { inputHash } from './call-ids.ts';
import type { EngineContext } from '../context.ts';
import { shownInput } from './parsed-input.ts';
import type { StepView } from './step-view.ts';
import { callKey } from '../../store/call-key.ts';
import { rootRef } from '../../store/session-place.ts';
import { sameJson } from '../../util/same-json.ts';

/** Reminder after four fifths of the wait. */
const REMIND_AT = 0.8;

/** Rows for the calls of a plan that wait for a person; they are open from the moment the plan is recorded. */
export async function openCalls(
  ctx: EngineContext,
  view: StepView,
  agent: AgentConfig,
  plan: StepRecord,
  now: number,
): Promise<OpenCallRow[]> {
  const human = plan.calls.filter((call) => call.class === 'client' || call.class === 'approval');
  if (human.length === 0) return [];
  const { session } = view;
  const rows = await Promise.all(human.map((call) => openCall(session, agent, call, now)));
  // Only the row at the root has a deadline.
  return ctx.databases.of(rootRef(session.rootId)) === view.store
    ? rows
    : rows.map((row) => ({ ...row, deadlineAt: null, remindAt: null }));
}

async function openCall(
  session: SessionRow,
  agent: AgentConfig,
  call: PlannedCall,
  now: number,
): Promise<OpenCallRow> {
  const kind = call.class === 'client' ? 'client' : 'approval';
  const tool = findDefinedTool(agent, call.toolName);
  const timeoutMs = waitFor(tool, agent, kind);
  const input = shownInput({ raw: call.input, parsed: call.parsed });
  return {
    ...callKey({ rootId: session.rootId, toolCallId: call.callId }),
    kind,
    unitId: session.unitId,
    ownerSessionId: session.sessionId,
    ownerStepId: session.stepId,
    ownerIndex: call.index,
    route: session.route,
    ownerAgentType: session.agentType,
    toolName: call.toolName,
    input,
    rawInput: sameJson(input, call.input) ? null : call.input,
    inputHash: await inputHash(call.input),
    approvalId: kind === 'approval' ? `${session.runId}::${call.callId}` : null,
    timeoutMs,
    ...deadlines(timeoutMs, now),
    state: 'open',
    outcome: null,
    answer: null,
    answeredBy: null,
    answeredAt: null,
    submissionId: null,
    settledAt: null,
    purgeAt: null,
    retentionMs: Math.ceil(agent.completedTombstoneRetentionMs ?? DEFAULT_TOMBSTONE_RETENTION_MS),
    userId: session.userId,
    remote: null,
    openedAt: now,
  };
}

/** Counted from the opening at the root. */
export function deadlines(
  timeoutMs: number | null,
  openedAt: number,
): Pick<OpenCallRow, 'deadlineAt' | 'remindAt'> {
  if (timeoutMs === null) return { deadlineAt: null, remindAt: null };
  return {
    deadlineAt: openedAt + timeoutMs,
    remindAt: openedAt + Math.floor(timeoutMs * REMIND_AT),
  };
}

/** Whole milliseconds a person has: the tool's setting, else the agent's, else the default; null: no limit. */
function waitFor(
  tool: Tool | undefined,
  agent: AgentConfig,
  kind: 'client' | 'approval',
): number | null {
  const chosen =
    kind === 'client'
      ? (tool?.clientToolTimeoutMs ?? agent.clientToolTimeoutMs ?? DEFAULT_CLIENT_TOOL_TIMEOUT_MS)
      : (tool?.approvalTimeoutMs ?? agent.approvalTimeoutMs ?? DEFAULT_APPROVAL_TIMEOUT_MS);
  return chosen === 'never' ? null : Math.ceil(chosen);
}
