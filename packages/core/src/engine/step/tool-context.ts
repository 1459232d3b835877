import { bindSession } from '../../capability/session-of.ts';
import type { ToolContext } from '../../define/types.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { ImmerStateTracker } from '../../state/immer-state-tracker.ts';
import type { PlannedCall, SessionRow, UsageRow } from '../../store/rows.ts';
import { describeFault, toJsonValue } from '../../util/to-json-value.ts';
import { sendEvent } from '../announce/send-event.ts';
import { capabilitySessionOf } from '../capabilities/session-facts.ts';
import type { EngineContext } from '../context.ts';
import { callTrace } from '../../trace/trace-context.ts';
import type { StepScope } from '../rows/step-view.ts';

/** What a tool may change while it runs. */
export interface ToolEffects {
  readonly tracker: ImmerStateTracker<JsonValue>;
  /** Rows that the tool has recorded so far. */
  readonly usage: UsageRow[];
  readonly signal: AbortSignal;
}

/** What a tool sees of the run. */
export function toolContext(
  step: StepScope,
  call: PlannedCall,
  { tracker, usage, signal }: ToolEffects,
): ToolContext {
  const { ctx, run, view } = step;
  const { session } = view;
  const { sessionId, agentType } = session;
  const { runId } = run;
  const context: ToolContext = {
    agentId: sessionId,
    agentType,
    sessionId,
    runId,
    toolCallId: call.callId,
    idempotencyKey: `${sessionId}/${call.callId}`,
    abortSignal: signal,
    get traceparent() {
      return callTrace(session, session.stepId, call.index).traceparent;
    },
    get state() {
      return tracker.getState();
    },
    getState: <T>() => tracker.getState() as T,
    updateState: <T>(change: (draft: T) => void) => {
      tracker.update((draft) => change(draft as T));
    },
    emit: (name, data) =>
      sendEvent(ctx, session, { name, data }, (chunk) =>
        ctx.announcer.stream(session.streamId, [{ chunk }]),
      ),
    recordUsage({ name, ...given }) {
      const data = plainUsage(ctx, call, session, { name, ...given });
      if (data === null) return;
      usage.push({
        id: ctx.newId(),
        sessionId,
        rootId: session.rootId,
        runId,
        stepCount: session.stepCount,
        kind: 'custom',
        sourceType: name,
        sourceName: call.toolName,
        data,
        timestamp: ctx.clock.now(),
      });
    },
  };
  return bindSession(context, () => capabilitySessionOf(step, () => tracker.getState(), signal));
}

/** A usage entry must not fail the tool that records it: one that cannot be stored is dropped and logged. */
function plainUsage(
  { limits, logger }: EngineContext,
  { callId: toolCallId, toolName }: PlannedCall,
  { sessionId }: SessionRow,
  metric: { readonly name: unknown; readonly [key: string]: unknown },
): JsonObject | null {
  const { name, ...data } = metric;
  const converted = toJsonValue(data, limits.maxEventBytes);
  if (converted.ok && typeof name === 'string') return converted.value as JsonObject;
  const error = converted.ok ? 'name: must be a string' : describeFault(converted);
  logger.warn('usage.dropped', { sessionId, toolCallId, toolName, error });
  return null;
}
