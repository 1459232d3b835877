import type { EngineContext } from '../engine/operations/context.ts';
import type { SessionRef } from '../store/rows.ts';

/** Hands a stop on to every running descendant, each stamped with its own run. */
export async function interruptBelow(ctx: EngineContext, ref: SessionRef): Promise<void> {
  const step = await ctx.databases.of(ref).readStep(ref);
  for (const reference of step?.references ?? []) {
    if (reference.state === 'closed') continue;
    const child = { rootId: ref.rootId, sessionId: reference.subSessionId };
    const store = ctx.databases.of(child);
    const stopped = await store.requestInterrupt(child, 'parent_stopped', ctx.clock.now());
    if (stopped) await interruptBelow(ctx, child);
  }
}
