import type { ToolContext } from '../../define/types.ts';
import type { JsonValue } from '../../json.ts';
import type { ImmerStateTracker } from '../../state/immer-state-tracker.ts';
import type { PlannedCall, UsageRow } from '../../store/rows.ts';
import { entry, speakerOf } from '../announce/chunk-entries.ts';
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
  { ctx, run, view }: StepScope,
  call: PlannedCall,
  { tracker, usage, signal }: ToolEffects,
): ToolContext {
  const { session } = view;
  const { sessionId, agentType } = session;
  const { runId } = run;
  return {
    agentId: sessionId,
    agentType,
    sessionId,
    runId,
    toolCallId: call.callId,
    idempotencyKey: `${sessionId}/${call.callId}`,
    abortSignal: signal,
    get state() {
      return tracker.getState();
    },
    getState: <T>() => tracker.getState() as T,
    updateState: <T>(change: (draft: T) => void) => {
      tracker.update((draft) => change(draft as T));
    },
    async emit(name, data) {
      const chunk = entry(speakerOf(session), ctx.clock.now(), 'custom', { name, data });
      await ctx.announcer.stream(session.streamId, [chunk]);
    },
    recordUsage({ name, ...data }) {
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
}
