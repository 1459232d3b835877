import { hasEndHooks } from '../hooks/run-hooks.ts';
import { SettleHooks } from '../hooks/settle-hooks.ts';
import type { CommitPlan } from '../../store/commit-plan.ts';
import type { OpenCallRow } from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import type { LoopRun, SettleResult } from '../../loop/host.ts';
import { closeEntries, committedSession, rowsAfterClose } from './after-close.ts';
import { announceEnd, carriedEnd, carriesStream } from '../announce/announce-end.ts';
import { discardEntry, endEntries, speakerOf } from '../announce/chunk-entries.ts';
import { sleep } from '../clock.ts';
import { closeStepPlan } from './close-step-plan.ts';
import type { EngineContext, OperationScope } from '../context.ts';
import { decideStep, type StepDecision } from './decide-step.ts';
import { unannouncedChunks } from '../announce/unannounced-chunks.ts';
import { requireAgent } from '../require-agent.ts';
import { interruptPlan, suspendPlan } from './suspend-plan.ts';
import { isInMemory, unwrittenUsage, type StepView } from '../rows/step-view.ts';
import { owns, ownerIsDead } from '../rows/session-status.ts';
import { ownStepTree, sessionOf, type StepTree } from '../rows/child-view.ts';
import { commitAsOwner, isRepeat } from '../rows/write.ts';

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
    const view = await ownStepTree(ctx, run);
    if (!view || view.session.epoch !== run.epoch) {
      // A late owner may have opened the stream again in begin.
      if (view) await announceEnd(ctx, run, run.epoch);
      return STALE;
    }
    // The attempt before this one did not hear whether its commit was applied, and announced nothing.
    if (mayHaveCommitted)
      await ctx.announcer.announce(view.session.streamId, await unannouncedChunks(ctx, view));
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
  const usage = unwrittenUsage(ctx, view);
  const fired = hooks.beforeClose(view, decision.results);
  const hookWrites = fired instanceof Promise ? await fired : fired;
  const closing = closeStepPlan(ctx, run, view, agent, { ...decision, hookWrites, usage });
  const { plan, ended } = closing;
  const said = closeEntries(ctx, view, decision.results, closing);
  if (ended) return (await commitEnd(ctx, run, view, plan, [], said)) ? END : null;
  if (!(await commitAsOwner(ctx, run, view.store, plan))) return null;
  ctx.transcripts.append(run, plan.insert?.messages ?? []);
  ctx.memory?.advance(run, rowsAfterClose(view, closing));
  ctx.announcer.later(view.session.streamId, said, 'fact');
  return THINK;
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
  const openCalls = view.calls.filter((row) => row.state === 'open');
  const { session } = view;
  const now = ctx.clock.now();
  const taken = new Map(decision.taken.map((entry) => [entry.call.index, entry.result]));
  const ends = (view.plan?.calls ?? []).flatMap((call) => {
    const result = view.results.get(call.index) ?? taken.get(call.index);
    return result ? endEntries(speakerOf(session), now, call, result.outcome) : [];
  });
  return (await commitEnd(ctx, run, view, plan, openCalls, ends)) ? END : null;
}

/**
 * The commit that ends a run, and with it what it makes true where it can say so itself and no hook stands between the
 * two. False: it was refused.
 */
async function commitEnd(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  plan: CommitPlan,
  openCalls: readonly OpenCallRow[],
  entries: readonly StreamEntry[],
): Promise<boolean> {
  const { store } = view;
  const session = committedSession(view, plan);
  const isRoot = session.parentSessionId === null;
  const isAnnounced = isRoot && carriesStream(ctx, store) && !hasEndHooks(ctx, session);
  const isApplied = isAnnounced
    ? await ctx.announcer.carry(carriedEnd(session, openCalls, entries, plan.now), (stream) =>
        commitAsOwner(ctx, run, store, { ...plan, stream }),
      )
    : await commitAsOwner(ctx, run, store, plan);
  if (!isApplied) return false;
  ctx.memory?.end(run, { session, openCalls, isAnnounced });
  if (!isAnnounced) ctx.announcer.later(session.streamId, entries, 'fact');
  return true;
}

/** Obeys a stop: running children with a live owner stop first, then this run. False: look again. */
async function interrupt(ctx: EngineContext, run: LoopRun, view: StepTree): Promise<boolean> {
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
