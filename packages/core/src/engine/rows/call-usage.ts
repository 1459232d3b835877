import type {
  CallResult,
  OpenCallRow,
  PlannedCall,
  SessionRow,
  UsageRow,
} from '../../store/rows.ts';
import type { EngineContext } from '../context.ts';

/** Milliseconds from the opening of a human call to its answer. */
export const CLIENT_TOOL_WAIT_MS_METRIC = 'client_tool_wait_ms';

const COUNTERS: Partial<Record<string, string>> = {
  expired: 'client_tool_timeout',
  cancelled: 'client_tool_abort',
};

/** A call that gets its result without being executed now. `row`: of a human call. */
export interface SettledCall {
  readonly call: PlannedCall;
  readonly result: CallResult;
  readonly row?: OpenCallRow | undefined;
}

/** Usage of calls that a commit settles: the call; of a human one its wait, and a counter where nobody answered. */
export function settledUsage(
  ctx: EngineContext,
  session: SessionRow,
  settled: readonly SettledCall[],
  now: number,
): UsageRow[] {
  return settled.flatMap(({ call, result, row }) => {
    if (!row) return [toolUsage(ctx, session, call, result, 0, now)];
    const counter = row.outcome === null ? undefined : COUNTERS[row.outcome];
    return [
      toolUsage(ctx, session, call, result, waitOf(row, now), now),
      waitUsage(ctx, session, row, now),
      ...(counter ? [metric(ctx, session, row, now, counter, 1)] : []),
    ];
  });
}

export function toolUsage(
  ctx: EngineContext,
  session: SessionRow,
  { callId: toolCallId, toolName }: PlannedCall,
  { outcome }: CallResult,
  durationMs: number,
  now: number,
): UsageRow {
  const data = { success: outcome.success, durationMs, toolCallId };
  const what = { kind: 'tool', sourceType: 'tool', sourceName: toolName, data } as const;
  return usageRow(ctx, session, now, what);
}

/** How long a person took. */
export function waitUsage(
  ctx: EngineContext,
  session: SessionRow,
  row: OpenCallRow,
  now: number,
): UsageRow {
  return metric(ctx, session, row, now, CLIENT_TOOL_WAIT_MS_METRIC, waitOf(row, now));
}

/** Nobody waits for a call beyond its deadline, whenever that is noticed. */
function waitOf({ outcome, timeoutMs, answeredAt, openedAt }: OpenCallRow, now: number): number {
  if (outcome === 'expired' && timeoutMs !== null) return timeoutMs;
  return (answeredAt ?? now) - openedAt;
}

function metric(
  ctx: EngineContext,
  session: SessionRow,
  { toolCallId, toolName }: OpenCallRow,
  now: number,
  sourceType: string,
  value: number,
): UsageRow {
  const data = { value, toolCallId };
  return usageRow(ctx, session, now, { kind: 'custom', sourceType, sourceName: toolName, data });
}

function usageRow(
  ctx: EngineContext,
  session: SessionRow,
  timestamp: number,
  what: Pick<UsageRow, 'kind' | 'sourceType' | 'sourceName' | 'data'>,
): UsageRow {
  const { sessionId, rootId, runId, stepCount } = session;
  return { id: ctx.newId(), sessionId, rootId, runId, stepCount, ...what, timestamp };
}
