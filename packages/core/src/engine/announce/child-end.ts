import type {
  CallOutcome,
  CallResult,
  ChildReferenceRow,
  SessionRow,
  UsageRow,
} from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { endEntries, entry, speakerOf } from './chunk-entries.ts';
import type { EngineContext } from '../context.ts';
import type { ChildView } from '../rows/child-view.ts';
import type { StepView } from '../rows/step-view.ts';

/**
 * Announces `subagent_end`, then the `tool_end` of the call it worked for. A child without a continuation was never claimed: it
 * has no end. One that could not be dispatched may have been claimed by a write whose reply was lost: its start is announced too.
 */
export async function announceChildEnd(
  ctx: EngineContext,
  parent: SessionRow,
  reference: ChildReferenceRow,
  result: CallResult,
): Promise<void> {
  const now = ctx.clock.now();
  const { outcome } = result;
  const call = { callId: reference.parentToolCallId, toolName: `subagent__${reference.agentType}` };
  const isDispatched = outcome.success || outcome.error.code !== 'subagent_dispatch_failed';
  const ends = isDispatched
    ? [childEndEntry(parent, reference, outcome, now)]
    : claimedEntries(parent, reference, outcome, now);
  await ctx.announcer.announce(parent.streamId, [
    ...ends,
    ...endEntries(speakerOf(parent, reference.stepId), now, call, outcome),
  ]);
}

/** Start and end of a child that may have begun; nothing of one that was never claimed. */
export function claimedEntries(
  parent: SessionRow,
  reference: ChildReferenceRow,
  outcome: CallOutcome,
  now: number,
): StreamEntry[] {
  if (reference.continuation === 0) return [];
  const start = childStartEntry(parent, reference, now);
  return [start, childEndEntry(parent, reference, outcome, now)];
}

export function childStartEntry(
  parent: SessionRow,
  { subSessionId, agentType, parentToolCallId: toolCallId, stepId }: ChildReferenceRow,
  now: number,
): StreamEntry {
  const body = { subSessionId, subAgentType: agentType, toolCallId };
  const key = `substart:${toolCallId}`;
  return entry(speakerOf(parent, stepId), now, 'subagent_start', body, key);
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
