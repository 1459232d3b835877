import type { Done, LoopRun } from '../../loop/host.ts';
import type { EngineContext } from '../context.ts';
import { forgetRun } from './end.ts';
import { owns } from '../rows/session-status.ts';
import { ownStepView, rowsToKeep } from '../rows/step-view.ts';
import { commitSurely } from '../rows/write.ts';

/** Gives the run back in good order: the next owner goes on with it at once instead of waiting for the lease. */
export async function handover(ctx: EngineContext, run: LoopRun): Promise<Done> {
  const store = ctx.databases.of(run);
  const view = await ownStepView(ctx, run);
  const plan = {
    kind: 'lease' as const,
    rootId: run.rootId,
    commitId: ctx.newId(),
    now: ctx.clock.now(),
    guard: {
      sessions: [{ sessionId: run.sessionId, epoch: run.epoch, status: ['running' as const] }],
    },
    sessions: [
      { sessionId: run.sessionId, set: { started: false, leaseOwner: null, leaseUntil: null } },
    ],
    insert: view ? rowsToKeep(ctx, view) : {},
  };
  const applied = await commitSurely(store, plan, async () => {
    const session = await store.readSession(run);
    return session !== null && owns(session, run) && !session.started;
  });
  await ctx.announcer.flush(run.rootId);
  forgetRun(ctx, run);
  return applied ? { ok: true } : { ok: false, code: 'stale' };
}
