import type { JsonObject } from '../../json.ts';
import type { SessionRow, UsageKind, UsageRow } from '../../store/rows.ts';
import type { EngineContext } from './context.ts';
import type { Taken } from './decide-step.ts';

/** Milliseconds from the opening of a human call to its answer. */
export const CLIENT_TOOL_WAIT_MS_METRIC = 'client_tool_wait_ms';

const COUNTERS: Partial<Record<string, string>> = {
  expired: 'client_tool_timeout',
  cancelled: 'client_tool_abort',
};

/** Usage of human calls whose answers a commit takes in: the call, its wait, and a counter where nobody answered. */
export function takenUsage(
  ctx: EngineContext,
  session: SessionRow,
  taken: readonly Taken[],
  now: number,
): UsageRow[] {
  const rows: UsageRow[] = [];
  const add = (kind: UsageKind, sourceType: string, sourceName: string, data: JsonObject): void => {
    rows.push({
      id: ctx.newId(),
      sessionId: session.sessionId,
      rootId: session.rootId,
      runId: session.runId,
      stepCount: session.stepCount,
      kind,
      sourceType,
      sourceName,
      data,
      timestamp: now,
    });
  };
  for (const { call, result, row } of taken) {
    const { callId: toolCallId, toolName } = call;
    const waited = (row.answeredAt ?? now) - row.openedAt;
    add('tool', 'tool', toolName, {
      success: result.outcome.success,
      durationMs: waited,
      toolCallId,
    });
    add('custom', 'metric', CLIENT_TOOL_WAIT_MS_METRIC, { value: waited, toolCallId, toolName });
    const counter = row.outcome === null ? undefined : COUNTERS[row.outcome];
    if (counter) add('custom', 'metric', counter, { value: 1, toolCallId, toolName });
  }
  return rows;
}
