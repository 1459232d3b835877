import type { OpenCallRow, SessionRow, UsageRow } from '../../store/rows.ts';
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
  return taken.flatMap(({ call, result, row }) => {
    const { callId: toolCallId, toolName } = call;
    const { success } = result.outcome;
    const data = { success, durationMs: waitOf(row, now), toolCallId };
    const counter = row.outcome === null ? undefined : COUNTERS[row.outcome];
    return [
      usageRow(ctx, session, now, { kind: 'tool', sourceType: 'tool', sourceName: toolName, data }),
      waitUsage(ctx, session, row, now),
      ...(counter ? [metric(ctx, session, row, now, counter, 1)] : []),
    ];
  });
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

/** Calls that close unanswered because the session was stopped for good; counted at that session. */
export function abortedUsage(
  ctx: EngineContext,
  session: SessionRow,
  rows: readonly OpenCallRow[],
  now: number,
): UsageRow[] {
  return rows.map((row) => metric(ctx, session, row, now, 'client_tool_abort', 1));
}

function waitOf(row: OpenCallRow, now: number): number {
  return (row.answeredAt ?? now) - row.openedAt;
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
