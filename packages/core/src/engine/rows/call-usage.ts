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

/** Usage of calls that a commit settles: the call; for a human call also the wait, and a counter if it was not answered. */
export function settledUsage(
  ctx: EngineContext,
  session: SessionRow,
  settled: readonly SettledCall[],
  now: number,
): UsageRow[] {
  return settled.flatMap(({ call, result, row }) => {
    const tool = { call, result };
    if (!row) return [toolUsage(ctx, session, tool, { durationMs: 0, now })];
    const counter = row.outcome === null ? undefined : COUNTERS[row.outcome];
    return [
      toolUsage(ctx, session, tool, { durationMs: waitOf(row, now), now }),
      waitUsage(ctx, session, row, now),
      ...(counter ? [usageRow(ctx, session, now, metric(row, counter, 1))] : []),
    ];
  });
}

export function toolUsage(
  ctx: EngineContext,
  session: SessionRow,
  { call, result }: Pick<SettledCall, 'call' | 'result'>,
  { durationMs, now }: { readonly durationMs: number; readonly now: number },
): UsageRow {
  const data = { success: result.outcome.success, durationMs, toolCallId: call.callId };
  const what = { kind: 'tool', sourceType: 'tool', sourceName: call.toolName, data } as const;
  return usageRow(ctx, session, now, what);
}

/** How long a person took to answer. */
export function waitUsage(
  ctx: EngineContext,
  session: SessionRow,
  row: OpenCallRow,
  now: number,
): UsageRow {
  const wait = metric(row, CLIENT_TOOL_WAIT_MS_METRIC, waitOf(row, now));
  return usageRow(ctx, session, now, wait);
}

/** The wait for an expired call ends at its deadline, whenever the expiry is noticed. */
function waitOf({ outcome, timeoutMs, answeredAt, openedAt }: OpenCallRow, now: number): number {
  if (outcome === 'expired' && timeoutMs !== null) return timeoutMs;
  return (answeredAt ?? now) - openedAt;
}

type UsageSource = Pick<UsageRow, 'kind' | 'sourceType' | 'sourceName' | 'data'>;

function metric(
  { toolCallId, toolName }: OpenCallRow,
  sourceType: string,
  value: number,
): UsageSource {
  return { kind: 'custom', sourceType, sourceName: toolName, data: { value, toolCallId } };
}

function usageRow(
  ctx: EngineContext,
  session: SessionRow,
  timestamp: number,
  what: UsageSource,
): UsageRow {
  const { sessionId, rootId, runId, stepCount } = session;
  return { id: ctx.newId(), sessionId, rootId, runId, stepCount, ...what, timestamp };
}
