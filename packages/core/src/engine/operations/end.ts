import { fireRunEnded } from '../../hooks/run-hooks.ts';
import type { LoopRun, RunOutcome } from '../loop/host.ts';
import { announceEnd, announceOwnEnd } from './announce-end.ts';
import type { EngineContext } from './context.ts';

/** The loop's last operation: says how the run ended and frees what the process kept for it. Writes no rows. */
export async function end(ctx: EngineContext, run: LoopRun): Promise<RunOutcome> {
  const session = await ctx.databases.of(run).readSession(run);
  forgetRun(ctx, run);
  await ctx.announcer.flush(run.rootId);
  if (!session || session.runId !== run.runId || session.status === 'running')
    return { status: 'stale' };
  // Ended by somebody else (an abort, a successor) it may be closed already, or not yet.
  if (session.epoch === run.epoch) await announceOwnEnd(ctx, session);
  else await announceEnd(ctx, run, run.epoch);
  if (run.sessionId === run.rootId) ctx.announcer.forget(run.rootId);
  await fireRunEnded(ctx, session);
  return { status: session.status };
}

/** Nothing stays in memory for a session that nobody runs. */
export function forgetRun(ctx: EngineContext, run: LoopRun): void {
  ctx.transcripts.forget(run);
  ctx.memory?.forget(run);
}
