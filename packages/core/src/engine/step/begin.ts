import { HelixError } from '../../errors/helix-error.ts';
import { fireRunBegan } from '../hooks/run-hooks.ts';
import type { RunRow, SessionRow } from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import type { Done, LoopRun } from '../../loop/host.ts';
import { announceEnd } from '../announce/announce-end.ts';
import { discardEntry, runBeganEntry, withdrawEntry } from '../announce/chunk-entries.ts';
import { tryCloseChildrenApart } from '../children/close-child.ts';
import type { EngineContext } from '../context.ts';
import { failRun } from './fail.ts';
import { unannouncedChunks } from '../announce/unannounced-chunks.ts';
import { announceOpenCalls } from './record-step.ts';
import { withdrawnSteps } from '../rows/left-steps.ts';
import { owns } from '../rows/session-status.ts';
import { ownStepView, type StepView } from '../rows/step-view.ts';
import { commitSurely, epochGuard } from '../rows/write.ts';
import { isRoot } from '../../store/session-place.ts';

const STALE: Done = { ok: false, code: 'stale' };

/** The loop's first operation: the run is marked as started, and what a dead owner did not announce is announced. */
export async function begin(ctx: EngineContext, run: LoopRun): Promise<Done> {
  invalidateLateClaim(ctx, run);
  const view = await ownStepView(ctx, run);
  if (!view || !owns(view.session, run)) {
    // A stale owner may have reopened a stream that its successor had closed, or that went with its session.
    await announceEnd(ctx, run, run.epoch);
    return STALE;
  }
  const { session } = view;
  if (!session.started && !(await markStarted(ctx, run, session))) return STALE;
  const record = await currentRun(ctx, run, view);
  const now = ctx.clock.now();
  // The stream is the root's: the claim of its run has opened it, the end of that run closes it.
  if (isRoot(session)) {
    const began = runBeganEntry(session, record, now);
    ctx.announcer.later(session.streamId, [began], 'fact');
  }
  const withdrawn = withdrawnSteps(view).map((left) => withdrawEntry(session, left, now));
  if (withdrawn.length > 0) ctx.announcer.later(session.streamId, withdrawn, 'fact');
  const isTakeover = run.isTakeover || session.recoveries > 0;
  if (isTakeover) await announceLeftovers(ctx, view);
  // The claim may have left children to close, and its process may have died: their ends come before those of this run.
  if (view.references.some(({ state }) => state === 'closing'))
    await tryCloseChildrenApart(ctx, session);
  if (!isTakeover) await fireRunBegan(ctx, view, record);
  if (session.recoveries > ctx.limits.maxRecoveries) {
    const message = `The run died ${session.recoveries} times and is not taken over again; retry() starts it anew.`;
    await failRun(ctx, run, new HelixError({ code: 'run_recovery_exhausted', message }));
  }
  return { ok: true };
}

/** The rows that the claim cached are good while its lease is: after it another process may own the run. */
function invalidateLateClaim(ctx: EngineContext, run: LoopRun): void {
  const until = ctx.memory?.cached(run)?.session.leaseUntil ?? null;
  if (until !== null && until <= ctx.clock.now()) ctx.memory?.invalidate(run);
}

async function currentRun(
  ctx: EngineContext,
  run: LoopRun,
  { store, session }: StepView,
): Promise<RunRow | undefined> {
  const begunHere = ctx.memory?.record(run);
  return begunHere ?? (await store.readRuns(session, { last: 1 }))[0];
}

async function markStarted(
  ctx: EngineContext,
  run: LoopRun,
  session: SessionRow,
): Promise<boolean> {
  const store = ctx.databases.of(run);
  const plan = {
    kind: 'lease' as const,
    rootId: run.rootId,
    commitId: ctx.newId(),
    now: ctx.clock.now(),
    guard: { sessions: [epochGuard(run, session.stepId)] },
    sessions: [{ sessionId: run.sessionId, set: { started: true } }],
  };
  return commitSurely(store, plan, async () => {
    const after = await store.readSession(run);
    return after !== null && owns(after, run) && after.started;
  });
}

/**
 * After a takeover: withdraws a model answer that was never recorded and announces what may be missing. An owner that gave the
 * run back has announced all it recorded.
 */
async function announceLeftovers(ctx: EngineContext, view: StepView): Promise<void> {
  const { session } = view;
  const now = ctx.clock.now();
  const entries: StreamEntry[] = [];
  if (!view.plan) entries.push(discardEntry(session, now, 'taken_over'));
  if (session.recoveries === 0) return ctx.announcer.announce(session.streamId, entries);
  entries.push(...(await unannouncedChunks(ctx, view)));
  await ctx.announcer.announce(session.streamId, entries);
  await announceOpenCalls(ctx, session, view.calls);
}
