import { fireRunEnded, hasEndHooks } from '../hooks/run-hooks.ts';
import type { LoopOutcome, LoopRun } from '../../loop/host.ts';
import { announceEnd, announceOwnEnd } from '../announce/announce-end.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { EngineContext } from '../context.ts';
import type { EndedRun } from '../memory/step-memory.ts';

/** The loop's last operation: announces how the run ended and frees what the process kept for it. Writes no rows. */
export async function end(ctx: EngineContext, run: LoopRun): Promise<LoopOutcome> {
  const ended = ctx.memory?.ended(run);
  const session = ended?.session ?? (await ctx.databases.of(run).readSession(run));
  ctx.transcripts.forget(run);
  if (!session || session.runId !== run.runId || session.status === 'running') {
    await ctx.announcer.flush(run.rootId);
    return { status: 'stale' };
  }
  const isHooked = hasEndHooks(ctx, session);
  if (session.epoch !== run.epoch || !isHooked) await announce(ctx, run, session, ended ?? null);
  // A child writes to the stream of its root, which stays open.
  await ctx.announcer.flush(run.rootId);
  if (run.sessionId === run.rootId) ctx.announcer.forget(run.rootId);
  await fireRunEnded(ctx, session, ended?.openCalls);
  // Chunks of hooks come before the close. Hooks may take long: another owner may have continued the session meanwhile.
  if (isHooked && (await announceEnd(ctx, run, session.epoch))) ctx.announcer.forget(run.rootId);
  return { status: session.status };
}

async function announce(
  ctx: EngineContext,
  run: LoopRun,
  session: SessionRow,
  ended: EndedRun | null,
): Promise<void> {
  // Ended by another owner (an abort, a successor), which may not have announced it yet.
  if (session.epoch !== run.epoch) await announceEnd(ctx, run, run.epoch);
  else if (!ended?.isAnnounced) await announceOwnEnd(ctx, session, ended?.openCalls);
}

/** A stale owner may have reopened a stream that its successor had closed: after its own writes it brings it in line. */
export async function leaveStream(ctx: EngineContext, run: LoopRun): Promise<void> {
  await ctx.announcer.flush(run.rootId);
  await announceEnd(ctx, run, run.epoch);
}

/** Nothing stays in memory for a session that nobody runs. */
export function forgetRun(ctx: EngineContext, run: LoopRun): void {
  ctx.transcripts.forget(run);
  ctx.memory?.forget(run);
  if (run.sessionId === run.rootId) ctx.announcer.forget(run.rootId);
}
