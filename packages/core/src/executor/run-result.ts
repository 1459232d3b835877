import type { EngineContext } from '../engine/operations/context.ts';
import { sleep } from '../engine/operations/clock.ts';
import { SessionNotFoundError } from '../errors/session-errors.ts';
import type { RunRow, SessionRef, SessionRow } from '../store/rows.ts';
import type { AgentResult, Suspension } from './types.ts';

/** Waits until the run has ended, in whatever process, and reads its result from the store. */
export async function awaitResult(
  ctx: EngineContext,
  ref: SessionRef,
  runId: string,
): Promise<AgentResult> {
  const store = ctx.databases.of(ref);
  for (;;) {
    const session = await store.readSession(ref);
    if (!session) throw new SessionNotFoundError(ref.sessionId);
    if (session.runId !== runId) return resultOfOlderRun(await store.readRuns(ref), session, runId);
    const result = await resultOf(ctx, session);
    if (result) return result;
    await sleep(ctx.clock, ctx.limits.pollMs);
  }
}

/** Null while the run goes on. */
async function resultOf(ctx: EngineContext, session: SessionRow): Promise<AgentResult | null> {
  switch (session.status) {
    case 'running':
      return null;
    case 'completed':
      return { status: 'completed', output: session.output };
    case 'failed':
      return {
        status: 'failed',
        error: session.error ?? { code: 'run_failed', message: 'The run failed.' },
      };
    case 'interrupted':
      return { status: 'interrupted' };
    case 'suspended_client_tool':
    case 'suspended_awaiting_children':
    case 'suspended_step_partial':
      return { status: session.status, suspended: await suspensionOf(ctx, session) };
  }
}

export async function suspensionOf(ctx: EngineContext, session: SessionRow): Promise<Suspension> {
  const calls = await ctx.databases.of(session).readCalls(session.rootId);
  const open = calls
    .filter((row) => row.state === 'open')
    .toSorted((a, b) => a.openedAt - b.openedAt);
  const owners = open
    .map((row) => row.ownerSessionId)
    .filter((owner) => owner !== session.sessionId);
  return {
    toolCallIds: open.map((row) => row.toolCallId),
    children: [...new Set(owners)],
    stepId: session.stepId,
  };
}

/** A later run has begun: what is left of this one is its record. */
function resultOfOlderRun(
  runs: readonly RunRow[],
  session: SessionRow,
  runId: string,
): AgentResult {
  const run = runs.find((candidate) => candidate.runId === runId);
  const status = run?.status ?? 'interrupted';
  const suspended: Suspension = { toolCallIds: [], children: [], stepId: session.stepId };
  switch (status) {
    case 'completed':
      return { status, output: null };
    case 'failed':
      return {
        status,
        error: { code: 'run_failed', message: 'The run failed; a later run has begun.' },
      };
    case 'running':
    case 'interrupted':
      return { status: 'interrupted' };
    case 'suspended_client_tool':
    case 'suspended_awaiting_children':
    case 'suspended_step_partial':
      return { status, suspended };
  }
}
