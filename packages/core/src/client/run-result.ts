import { readOpenCalls } from '../engine/announce/announce-end.ts';
import type { EngineContext } from '../engine/context.ts';
import type { EndedRun } from '../engine/memory/step-memory.ts';
import { sleep } from '../engine/clock.ts';
import { SessionNotFoundError } from '../errors/session-errors.ts';
import type { OpenCallRow, RunRow, SessionRef, SessionRow } from '../store/rows.ts';
import type { AgentResult, Suspension } from './types.ts';
import { codedError, RUN_FAILED } from '../errors/coded-error.ts';
import { isStoreOutage } from '../errors/store-outage.ts';

/** Waits until the run has ended, in whatever process, and reads its result from the store. */
export async function awaitResult(
  ctx: EngineContext,
  ref: SessionRef,
  runId: string,
): Promise<AgentResult> {
  for (;;) {
    const result = await readResult(ctx, ref, runId).catch(stillGoesOn);
    if (result) return result;
    await sleep(ctx.clock, ctx.limits.pollMs);
  }
}

/** Null while the run goes on. */
async function readResult(
  ctx: EngineContext,
  ref: SessionRef,
  runId: string,
): Promise<AgentResult | null> {
  const store = ctx.databases.of(ref);
  const session = await store.readSession(ref);
  if (!session) throw new SessionNotFoundError(ref.sessionId);
  if (session.runId !== runId) return resultOfOlderRun(await store.readRuns(ref), session, runId);
  return resultOf({ session, openCalls: await readOpenCalls(ctx, session) });
}

/** A store that does not work for now says nothing about the run. */
function stillGoesOn(error: unknown): null {
  if (isStoreOutage(error)) return null;
  throw error;
}

/** Null while the run goes on. */
export function resultOf({ session, openCalls }: EndedRun): AgentResult | null {
  switch (session.status) {
    case 'running':
      return null;
    case 'completed':
      return { status: 'completed', output: session.output };
    case 'failed':
      return {
        status: 'failed',
        error: session.error ?? RUN_FAILED,
      };
    case 'interrupted':
      return { status: 'interrupted' };
    case 'suspended_client_tool':
    case 'suspended_awaiting_children':
    case 'suspended_step_partial':
      return { status: session.status, suspended: suspensionOf(session, openCalls) };
  }
}

function suspensionOf(session: SessionRow, openCalls: readonly OpenCallRow[]): Suspension {
  const open = openCalls.toSorted((a, b) => a.openedAt - b.openedAt);
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
        error: codedError('run_failed', 'The run failed; a later run has begun.'),
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
