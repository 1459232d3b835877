import type { CallResult, ChildReferenceRow, SessionRow, UsageRow } from '../../store/rows.ts';
import { endEntries, entry, speakerOf } from './chunk-entries.ts';
import type { EngineContext } from './context.ts';
import type { ChildView, StepView } from './step-view.ts';

/** `subagent_end`, then the `tool_end` of the call it worked for. */
export async function announceChildEnd(
  ctx: EngineContext,
  parent: SessionRow,
  reference: ChildReferenceRow,
  result: CallResult,
): Promise<void> {
  const now = ctx.clock.now();
  const speaker = speakerOf(parent, reference.stepId);
  const { outcome } = result;
  const body = {
    subSessionId: reference.subSessionId,
    subAgentType: reference.agentType,
    toolCallId: reference.parentToolCallId,
    success: outcome.success,
    ...(outcome.success ? { result: outcome.value } : { error: outcome.error.message }),
  };
  const call = { callId: reference.parentToolCallId, toolName: `subagent__${reference.agentType}` };
  const started = outcome.success || outcome.error.code !== 'subagent_dispatch_failed';
  await ctx.announcer.announce(parent.streamId, [
    ...(started
      ? [entry(speaker, now, 'subagent_end', body, `subend:${reference.parentToolCallId}`)]
      : []),
    ...endEntries(speaker, now, call, outcome),
  ]);
}

export function childUsage(
  ctx: EngineContext,
  view: StepView,
  child: ChildView,
  result: CallResult,
  now: number,
): UsageRow {
  const { session } = view;
  return {
    id: ctx.newId(),
    sessionId: session.sessionId,
    rootId: session.rootId,
    runId: session.runId,
    stepCount: session.stepCount,
    kind: 'subagent',
    sourceType: 'subagent',
    sourceName: child.reference.agentType,
    data: { success: result.outcome.success, durationMs: now - child.reference.startedAt },
    timestamp: now,
  };
}
