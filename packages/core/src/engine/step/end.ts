import { fireRunEnded, hasEndHooks } from '../hooks/run-hooks.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { LoopOutcome, LoopRun } from '../../loop/host.ts';
import { announceEnd, announceOwnEnd } from '../announce/announce-end.ts';
import type { EngineContext } from '../context.ts';
import type { EndedRun } from '../memory/step-memory.ts';

/** The loop's last operation: says how the run ended and frees what the process kept for it. Writes no rows. */
export async function end(ctx: EngineContext, run: LoopRun): Promise<LoopOutcome> {
  const known = ctx.memory?.ended(run);
  const session = known?.session ?? (await ctx.databases.of(run).readSession(run));
  ctx.transcripts.forget(run);
  if (!session || session.runId !== run.runId || session.status === 'running') {
    await ctx.announcer.flush(run.rootId);
    return { status: 'stale' };
  }
  const hooked = hasEndHooks(ctx, session);
  // Ended by somebody else (an abort, a successor) it may be closed already, or not yet.
  if (session.epoch !== run.epoch) await announceEnd(ctx, run, run.epoch);
  else if (!hooked) await announceUnsaid(ctx, session, known);
  // A child speaks in the stream of its root, which goes on.
  await ctx.announcer.flush(run.rootId);
  if (run.sessionId === run.rootId) ctx.announcer.forget(run.rootId);
  await fireRunEnded(ctx, session, known?.openCalls);
  // What hooks say comes before the close. They may take long: somebody may have gone on with the session meanwhile.
  if (hooked && (await announceEnd(ctx, run, session.epoch))) ctx.announcer.forget(run.rootId);
  return { status: session.status };
}

async function announceUnsaid(
  ctx: EngineContext,
  session: SessionRow,
  known: EndedRun | null | undefined,
): Promise<void> {
  if (!known?.isAnnounced) await announceOwnEnd(ctx, session, known?.openCalls);
}

/** A late owner may have opened a stream that its successor had closed: once its own writes are through, it is put right. */
export async function leaveStream(ctx: EngineContext, run: LoopRun): Promise<void> {
  await ctx.announcer.flush(run.rootId);
  await announceEnd(ctx, run, run.epoch);
}

/** Nothing stays in memory for a session that nobody runs. */
export function forgetRun(ctx: EngineContext, run: LoopRun): void {
  ctx.transcripts.forget(run);
  ctx.memory?.forget(run);
}
