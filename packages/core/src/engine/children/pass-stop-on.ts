/**
 * How a stop of a session reaches what runs below it: each running descendant gets a durable interrupt of its own, stamped
 * with its own run. Where a run is watched (a lease) its host passes a stop on to the children it drives; where an
 * engine keeps runs alive nobody watches between operations, so the process that writes or finds the stop passes it on.
 */
import type { LoopRun } from '../../loop/host.ts';
import type { SessionRef } from '../../store/rows.ts';
import type { EngineContext } from '../context.ts';

/** False when the child is not running. */
export async function stopChild(ctx: EngineContext, child: SessionRef): Promise<boolean> {
  const store = ctx.databases.of(child);
  const interrupt = await store.requestInterrupt(child, 'parent_stopped', ctx.clock.now());
  return interrupt !== null;
}

/**
 * Stops every running descendant. One whose own database fails keeps no other from hearing of it: its parent does not
 * wait for it.
 */
export async function stopBelow(ctx: EngineContext, ref: SessionRef): Promise<void> {
  const here = ctx.databases.of(ref);
  const step = await here.readStep(ref);
  for (const reference of step?.references ?? []) {
    if (reference.state === 'closed') continue;
    const child = { rootId: ref.rootId, sessionId: reference.subSessionId };
    try {
      if (await stopChild(ctx, child)) await stopBelow(ctx, child);
    } catch (error) {
      if (ctx.databases.of(child) === here) throw error;
      ctx.logger.warn('subagent.interrupt_failed', { ...child, error: String(error) });
    }
  }
}

/** After a child was claimed: a stop of its parent that came before the claim did not find the child. */
export async function passStopOn(ctx: EngineContext, run: LoopRun): Promise<void> {
  if (isWatched(ctx)) return;
  const step = await ctx.databases.of(run).readStep(run);
  if (step?.interrupt) await stopBelow(ctx, run);
}

/** After an interrupt of that session was recorded. */
export async function passInterruptOn(ctx: EngineContext, ref: SessionRef): Promise<void> {
  if (!isWatched(ctx)) await stopBelow(ctx, ref);
}

/** Stops this run, if it is still the session's, and what runs below it. */
export async function stopRun(ctx: EngineContext, run: LoopRun, reason: string): Promise<void> {
  const store = ctx.databases.of(run);
  const session = await store.readSession(run);
  if (session?.runId !== run.runId) return;
  await store.requestInterrupt(run, reason, ctx.clock.now());
  await stopBelow(ctx, run);
}

function isWatched(ctx: EngineContext): boolean {
  return ctx.identity.leaseMs !== null;
}
