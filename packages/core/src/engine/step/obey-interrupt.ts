/**
 * The commit that obeys an interrupt: by settle at a boundary, or by think inside a model call, which alone has what the
 * model said so far.
 */
import type { LoopRun } from '../../loop/host.ts';
import { isRoot } from '../../store/session-place.ts';
import { discardEntry, stoppedEntry, withdrawEntry } from '../announce/chunk-entries.ts';
import { resultEntries } from '../announce/result-entries.ts';
import { sleep } from '../clock.ts';
import type { EngineContext } from '../context.ts';
import type { SettleHooks } from '../hooks/settle-hooks.ts';
import { sessionOf, type StepTree } from '../rows/child-view.ts';
import { ownerIsDead, owns } from '../rows/session-status.ts';
import { readStepView, type StepScope } from '../rows/step-view.ts';
import { commitAsOwner } from '../rows/write.ts';
import type { Said } from './said-so-far.ts';
import { interruptPlan, leftByInterrupt } from './suspend-plan.ts';

/** Running children with a live owner stop first, then this run. False: read again. */
export async function obeyInterrupt(
  step: StepScope & { readonly view: StepTree },
  hooks: SettleHooks,
): Promise<boolean> {
  const { ctx, run, view } = step;
  const now = ctx.clock.now();
  const reason = view.interrupt?.reason ?? null;
  const running = [...view.childViews.values()].filter((child) => {
    const session = sessionOf(child);
    return session?.status === 'running' && !ownerIsDead(session, now);
  });
  if (running.length > 0) {
    for (const child of running)
      await ctx.databases.of(child.ref).requestInterrupt(child.ref, reason, now);
    await sleep(ctx.clock, ctx.limits.pollMs);
    return false;
  }
  const hookWrites = await hooks.beforeInterrupt(view);
  const plan = interruptPlan(step, { hookWrites });
  if (!(await commitAsOwner(ctx, run, view.store, plan))) return false;
  const lost = leftByInterrupt(view).map((left) => withdrawEntry(view.session, left, now));
  const kept = new Set(plan.insert?.journal?.map((row) => row.index));
  const ends = (view.plan?.calls ?? []).flatMap((call) => {
    const outcome = kept.has(call.index) ? view.results.get(call.index)?.outcome : undefined;
    return outcome ? resultEntries(view, now, call, outcome) : [];
  });
  await ctx.announcer.announce(view.session.streamId, [...lost, ...ends]);
  return true;
}

/**
 * Stops the run inside a model call and keeps what was said; if that is nothing, settle stops it. A step without a plan has no
 * children to stop first.
 */
export async function stopThinking(
  ctx: EngineContext,
  run: LoopRun,
  said: Said | null,
): Promise<void> {
  for (;;) {
    const view = await readStepView(ctx, run);
    if (!view || !owns(view.session, run) || view.plan) return;
    const { session, store } = view;
    if (!view.interrupt) {
      const discarded = discardEntry(session, ctx.clock.now(), 'interrupted');
      return ctx.announcer.announce(session.streamId, [discarded]);
    }
    if (!said) return;
    if (!(await commitAsOwner(ctx, run, store, interruptPlan({ ctx, run, view }, { said }))))
      continue;
    // The end of a root's run says it, from the rows.
    if (isRoot(session)) return;
    const stopped = stoppedEntry(
      { ...session, failureReason: view.interrupt.reason },
      { step: session.stepId },
      ctx.clock.now(),
    );
    return ctx.announcer.announce(session.streamId, [stopped]);
  }
}
