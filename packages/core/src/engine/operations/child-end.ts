import type {
  CallOutcome,
  CallResult,
  ChildReferenceRow,
  SessionRow,
  UsageRow,
} from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
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
  const { outcome } = result;
  const call = { callId: reference.parentToolCallId, toolName: `subagent__${reference.agentType}` };
  const started = outcome.success || outcome.error.code !== 'subagent_dispatch_failed';
  await ctx.announcer.announce(parent.streamId, [
    ...(started ? [childEndEntry(parent, reference, outcome, now)] : []),
    ...endEntries(speakerOf(parent, reference.stepId), now, call, outcome),
  ]);
}

/** The end that matches a child's `subagent_start`. */
export function childEndEntry(
  parent: SessionRow,
  reference: ChildReferenceRow,
  outcome: CallOutcome,
  now: number,
): StreamEntry {
  const body = {
    subSessionId: reference.subSessionId,
    subAgentType: reference.agentType,
    toolCallId: reference.parentToolCallId,
    success: outcome.success,
    ...(outcome.success ? { result: outcome.value } : { error: outcome.error.message }),
  };
  const key = `subend:${reference.parentToolCallId}`;
  return entry(speakerOf(parent, reference.stepId), now, 'subagent_end', body, key);
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
