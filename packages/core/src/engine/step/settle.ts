/**
 * The operation that moves a step as far as its rows allow.
 *
 * Owns: the commit and the suspension of a step, and the chunks that they make true.
 * Does not own: what comes next (`decide-step.ts`), how a stop is obeyed (`obey-interrupt.ts`), what the commits contain (`commit-step-plan.ts`, `suspend-plan.ts`), running
 * calls (the loop dispatches what settle returns).
 *
 * I1. A commit names all that was read (version, epoch, step, records, open calls). If it is refused, settle reads and decides
 *     again, so no answer is missed.
 * I2. A pending interrupt is obeyed before anything else is decided, after the children that run have stopped.
 * I3. Hooks fire before the commit, once per settle however often it is refused.
 * I4. Nothing is announced before it is committed. Where the store carries streams and no hook follows, the commit that ends a
 *     run carries its announcement.
 */
import type { LoopRun, SettleResult } from '../../loop/host.ts';
import type { CommitPlan } from '../../store/commit-plan.ts';
import type { OpenCallRow } from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { announceEnd, carriedEnd, carriesStream } from '../announce/announce-end.ts';
import { resultEntries } from '../announce/result-entries.ts';
import { unannouncedChunks } from '../announce/unannounced-chunks.ts';
import type { EngineContext, OperationScope } from '../context.ts';
import { hasEndHooks } from '../hooks/run-hooks.ts';
import { SettleHooks } from '../hooks/settle-hooks.ts';
import { requireAgent } from '../require-agent.ts';
import { ownStepTree } from '../rows/child-view.ts';
import { owns } from '../rows/session-status.ts';
import { unwrittenUsage, type StepScope } from '../rows/step-view.ts';
import { commitAsOwner, isRepeat } from '../rows/write.ts';
import { committedEntries, committedSession, rowsAfterCommit } from './after-commit.ts';
import { commitStepPlan } from './commit-step-plan.ts';
import { decideStep, type StepDecision } from './decide-step.ts';
import { obeyInterrupt } from './obey-interrupt.ts';
import { reapMarkers } from './reap-markers.ts';
import { openRows, suspendPlan } from './suspend-plan.ts';
import { isRoot } from '../../store/session-place.ts';

const STALE: SettleResult = { ok: false, code: 'stale' };
const END: SettleResult = { ok: true, next: 'end' };
const THINK: SettleResult = { ok: true, next: 'think' };

/** Returns what is runnable, or commits or suspends the step. */
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
      // A stale owner may have reopened the stream in begin.
      if (view) await announceEnd(ctx, run, run.epoch);
      return STALE;
    }
    // The attempt before this one may have committed without a reply, and announced nothing.
    if (mayHaveCommitted)
      await ctx.announcer.announce(view.session.streamId, await unannouncedChunks(ctx, view));
    mayHaveCommitted = false;
    if (!owns(view.session, run)) return END;
    const step = { ctx, run, view };
    if (view.interrupt) {
      if (await obeyInterrupt(step, hooks)) return END;
      continue;
    }
    if (!view.plan) return THINK;
    const decision = decideStep(view);
    if (decision.kind === 'dispatch') return { ok: true, next: 'dispatch', calls: decision.calls };
    const next =
      decision.kind === 'commit'
        ? await commitStep(step, decision, hooks)
        : await suspend(step, decision, hooks);
    if (next) return next;
  }
}

/** Null: it was refused, read again. */
async function commitStep(
  step: StepScope,
  decision: Extract<StepDecision, { kind: 'commit' }>,
  hooks: SettleHooks,
): Promise<SettleResult | null> {
  const { ctx, run, view } = step;
  const agent = requireAgent(ctx, view.session);
  const hookWrites = await hooks.beforeCommit(view, decision.results);
  const usage = unwrittenUsage(ctx, view);
  const commit = commitStepPlan(step, agent, { ...decision, hookWrites, usage });
  const { plan, ended } = commit;
  const entries = committedEntries(view, decision.results, commit);
  if (ended) return (await commitEnd(step, plan, [], entries)) ? END : null;
  if (!(await commitAsOwner(ctx, run, view.store, plan))) return null;
  await reapMarkers(step, plan);
  ctx.transcripts.append(run, plan.insert?.messages ?? []);
  ctx.memory?.advance(run, rowsAfterCommit(view, commit));
  ctx.announcer.later(view.session.streamId, entries, 'fact');
  return THINK;
}

/** Null: it was refused, read again. */
async function suspend(
  step: StepScope,
  decision: Extract<StepDecision, { kind: 'suspend' }>,
  hooks: SettleHooks,
): Promise<SettleResult | null> {
  const { view } = step;
  const hookWrites = await hooks.beforeSuspend(view, decision.accepted);
  const plan = suspendPlan(step, decision.accepted, hookWrites);
  const accepted = new Map(decision.accepted.map(({ call, result }) => [call.index, result]));
  const ends = (view.plan?.calls ?? []).flatMap((call) => {
    const result = view.results.get(call.index) ?? accepted.get(call.index);
    return result ? resultEntries(view, plan.now, call, result.outcome) : [];
  });
  return (await commitEnd(step, plan, openRows(view), ends)) ? END : null;
}

/** The commit that ends a run, with its announcement where it can carry it (I4). False: it was refused. */
async function commitEnd(
  step: StepScope,
  plan: CommitPlan,
  openCalls: readonly OpenCallRow[],
  entries: readonly StreamEntry[],
): Promise<boolean> {
  const { ctx, run, view } = step;
  const { store } = view;
  const session = committedSession(view, plan);
  const isAnnounced = isRoot(session) && carriesStream(ctx, store) && !hasEndHooks(ctx, session);
  const isApplied = isAnnounced
    ? await ctx.announcer.carry(carriedEnd(session, openCalls, entries, plan.now), (stream) =>
        commitAsOwner(ctx, run, store, { ...plan, stream }),
      )
    : await commitAsOwner(ctx, run, store, plan);
  if (!isApplied) return false;
  await reapMarkers(step, plan);
  ctx.memory?.end(run, { session, openCalls, isAnnounced });
  if (!isAnnounced) ctx.announcer.later(session.streamId, entries, 'fact');
  return true;
}
