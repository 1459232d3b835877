import type { LoopRun, SettleResult } from '../loop/host.ts';
import { SettleHooks } from '../../hooks/settle-hooks.ts';
import { closeEntries, committedSession, rowsAfterClose } from './after-close.ts';
import { announceEnd } from './announce-end.ts';
import { discardEntry, endEntries, speakerOf } from './chunk-entries.ts';
import { sleep } from './clock.ts';
import { closeStepPlan } from './close-step-plan.ts';
import type { EngineContext, OperationScope } from './context.ts';
import { decideStep, type StepDecision } from './decide-step.ts';
import { missedEntries } from './missed-entries.ts';
import { requireAgent } from './require-agent.ts';
import { interruptPlan, suspendPlan } from './suspend-plan.ts';
import { isInMemory, owns, ownerIsDead, ownStepView, type StepView } from './step-view.ts';
import { commitAsOwner, isRepeat } from './write.ts';

const STALE: SettleResult = { ok: false, code: 'stale' };
const END: SettleResult = { ok: true, next: 'end' };
const THINK: SettleResult = { ok: true, next: 'think' };

/**
 * Looks at the step and moves it as far as rows allow: says what is runnable, or commits its close or suspension. The
 * commit names all it read; when something moved meanwhile it looks again, so no answer is slept over.
 */
export async function settle(
  ctx: EngineContext,
  run: LoopRun,
  scope: Pick<OperationScope, 'attempt'> = {},
): Promise<SettleResult> {
  const hooks = new SettleHooks(ctx);
  let mayHaveCommitted = isRepeat(ctx, run, scope);
  for (;;) {
    const own = ownStepView(ctx, run);
    const view = own instanceof Promise ? await own : own;
    if (!view || view.session.epoch !== run.epoch) {
      // A late owner may have opened the stream again in begin.
      if (view) await announceEnd(ctx, run, run.epoch);
      return STALE;
    }
    // The attempt before this one did not hear whether its commit was applied, and announced nothing.
    if (mayHaveCommitted)
      await ctx.announcer.announce(view.session.streamId, await missedEntries(ctx, view));
    mayHaveCommitted = false;
    if (!owns(view.session, run)) return END;
    if (view.interrupt) {
      if (await interrupt(ctx, run, view)) return END;
      continue;
    }
    if (!view.plan) return THINK;
    const decision = decideStep(view);
    if (decision.kind === 'dispatch') return { ok: true, next: 'dispatch', calls: decision.calls };
    const next = await commitDecision(ctx, run, view, decision, hooks);
    if (next) return next;
  }
}

/** Null: it was refused, look again. */
function commitDecision(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  decision: Exclude<StepDecision, { kind: 'dispatch' }>,
  hooks: SettleHooks,
): Promise<SettleResult | null> {
  return decision.kind === 'close'
    ? close(ctx, run, view, decision, hooks)
    : suspend(ctx, run, view, decision, hooks);
}

async function close(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  decision: Extract<StepDecision, { kind: 'close' }>,
  hooks: SettleHooks,
): Promise<SettleResult | null> {
  const agent = requireAgent(ctx, view.session);
  const usage = ctx.memory?.usage(run, view.session.stepId) ?? [];
  const fired = hooks.beforeClose(view, decision.results);
  const hookWrites = fired instanceof Promise ? await fired : fired;
  const closing = closeStepPlan(ctx, run, view, agent, { ...decision, hookWrites, usage });
  if (!(await commitAsOwner(ctx, run, view.store, closing.plan))) return null;
  ctx.transcripts.append(run, closing.plan.insert?.messages ?? []);
  const after = rowsAfterClose(view, closing);
  if (closing.ended) ctx.memory?.end(run, { session: after.session, openCalls: [] });
  else ctx.memory?.advance(run, after);

  const said = closeEntries(ctx, view, decision.results, closing);
  ctx.announcer.later(view.session.streamId, said, 'fact');
  return closing.ended ? END : THINK;
}

async function suspend(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  decision: Extract<StepDecision, { kind: 'suspend' }>,
  hooks: SettleHooks,
): Promise<SettleResult | null> {
  const hookWrites = await hooks.beforeSuspend(view);
  const plan = suspendPlan(ctx, run, view, decision.taken, hookWrites);
  if (!(await commitAsOwner(ctx, run, view.store, plan))) return null;
  const openCalls = view.calls.filter((row) => row.state === 'open');
  ctx.memory?.end(run, { session: committedSession(view, plan), openCalls });
  const { session } = view;
  const now = ctx.clock.now();
  const taken = new Map(decision.taken.map((entry) => [entry.call.index, entry.result]));
  const ends = (view.plan?.calls ?? []).flatMap((call) => {
    const result = view.results.get(call.index) ?? taken.get(call.index);
    return result ? endEntries(speakerOf(session), now, call, result.outcome) : [];
  });
  await ctx.announcer.announce(session.streamId, ends);
  return END;
}

/** Obeys a stop: running children with a live owner stop first, then this run. False: look again. */
async function interrupt(ctx: EngineContext, run: LoopRun, view: StepView): Promise<boolean> {
  const now = ctx.clock.now();
  const reason = view.interrupt?.reason ?? null;
  const running = [...view.childViews.values()].filter(
    (child) => child.session?.status === 'running' && !ownerIsDead(child.session, now),
  );
  if (running.length > 0) {
    for (const child of running)
      await ctx.databases.of(child.ref).requestInterrupt(child.ref, reason, now);
    await sleep(ctx.clock, ctx.limits.pollMs);
    return false;
  }
  const plan = interruptPlan(ctx, run, view);
  if (!(await commitAsOwner(ctx, run, view.store, plan))) return false;
  // A plan that was kept in memory is lost with the run.
  const lost = isInMemory(view) ? [discardEntry(view.session, now, 'interrupted')] : [];
  const kept = new Set(plan.insert?.journal?.map((row) => row.index));
  const ends = (view.plan?.calls ?? []).flatMap((call) => {
    const outcome = kept.has(call.index) ? view.results.get(call.index)?.outcome : undefined;
    return outcome ? endEntries(speakerOf(view.session), now, call, outcome) : [];
  });
  await ctx.announcer.announce(view.session.streamId, [...lost, ...ends]);
  return true;
}
