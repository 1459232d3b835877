import type { RunRow, RunTrigger } from '../store/rows.ts';
import { changeSession, requireFree, type FacadeContext } from './facade-context.ts';
import { MANUAL_HOST } from './session-state.ts';

export interface CreateRunOptions {
  readonly runId?: string;
  /** `execute` (default) begins a new turn and counts its steps from 0. */
  readonly trigger?: RunTrigger;
  /** Head of the stream when the run begins. */
  readonly startSequence?: number;
}

/**
 * Begins a run that is driven by hand: the session is active and the caller's. A run by hand that was never ended is
 * closed as interrupted.
 */
export async function createRun(
  ctx: FacadeContext,
  sessionId: string,
  options: CreateRunOptions,
): Promise<RunRow> {
  const { runId = ctx.newId(), trigger = 'execute', startSequence = 0 } = options;
  return changeSession(ctx, sessionId, async (session) => {
    await requireFree(ctx, session);
    const now = ctx.now();
    const turn = session.turn + 1;
    const abandoned = { status: 'interrupted', completedAt: now } as const;
    const run: RunRow = {
      runId,
      sessionId,
      turn,
      status: 'running',
      trigger,
      stepCount: 0,
      previousRunId: session.runId === '' ? null : session.runId,
      fromCheckpointId: null,
      startSequence,
      startedAt: now,
      completedAt: null,
    };
    const set = {
      status: 'running',
      hostKind: MANUAL_HOST,
      started: true,
      leaseOwner: null,
      leaseUntil: null,
      epoch: session.epoch + 1,
      recoveries: 0,
      runId,
      turn,
      error: null,
      failureReason: null,
      output: null,
      ...(trigger === 'execute' && { stepCount: 0 }),
      ...(trigger === 'resume' && { resumeCount: session.resumeCount + 1 }),
    } as const;
    const left = session.status === 'running' ? [{ runId: session.runId, set: abandoned }] : [];
    return { parts: { set, insert: { runs: [run] }, update: { runs: left } }, result: run };
  });
}
