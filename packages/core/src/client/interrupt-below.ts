import type { EngineContext } from '../engine/context.ts';
import type { SessionRef } from '../store/rows.ts';
import { childRef } from '../store/session-place.ts';

/**
 * Hands a stop on to every running descendant, each stamped with its own run. One whose own database fails keeps no other from
 * hearing of it: its parent does not wait for it.
 */
export async function interruptBelow(ctx: EngineContext, ref: SessionRef): Promise<void> {
  const here = ctx.databases.of(ref);
  const step = await here.readStep(ref);
  for (const reference of step?.references ?? []) {
    if (reference.state === 'closed') continue;
    const child = childRef(ref, reference.subSessionId);
    const store = ctx.databases.of(child);
    try {
      const stopped = await store.requestInterrupt(child, 'parent_stopped', ctx.clock.now());
      if (stopped) await interruptBelow(ctx, child);
    } catch (error) {
      if (store === here) throw error;
      ctx.logger.warn('subagent.interrupt_failed', { ...child, error: String(error) });
    }
  }
}
