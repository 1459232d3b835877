import type { CommitPlan } from '../../store/commit-plan.ts';
import type { RunStatus, StoredError } from '../../store/rows.ts';
import type { LoopRun, RunFailure } from '../../loop/host.ts';
import { endTree } from '../human/abort.ts';
import { discardEntry } from '../announce/chunk-entries.ts';
import type { EngineContext } from '../context.ts';
import { unannouncedChunks } from '../announce/unannounced-chunks.ts';
import { leaveUnrecorded, owns, readStepView, type StepView } from '../rows/step-view.ts';
import { commit, epochGuard } from '../rows/write.ts';

/**
 * Ends the run as failed. Without a plan that is one plain commit. With one, a root closes its step and tree; a child
 * with an unsettled step never ends itself: it suspends with `error` and its parent closes it.
 */
export async function failRun(ctx: EngineContext, run: LoopRun, cause: RunFailure): Promise<void> {
  const error: StoredError = { code: cause.code, message: cause.message };
  for (;;) {
    const view = await readStepView(ctx, run);
    if (!view) return;
    const { session } = view;
    if (!owns(session, run)) {
      // Ended by a commit of this very run that was not heard of, and not announced.
      if (session.epoch === run.epoch)
        await ctx.announcer.announce(session.streamId, await unannouncedChunks(ctx, view));
      return;
    }
    if (view.plan && session.parentSessionId === null) {
      await endTree(ctx, session, 'failed', error, run.epoch);
      return;
    }
    const status: RunStatus = view.plan ? suspendedBy(view) : 'failed';
    const plan = failPlan(ctx, run, view, status, error);
    if (await commit(view.store, session, plan)) {
      ctx.memory?.forget(run);
      // A store that failed may have kept a commit that nobody announced, or refused an answer that was streamed.
      await ctx.announcer.announce(session.streamId, [
        ...(await unannouncedChunks(ctx, view)),
        ...(view.plan ? [] : [discardEntry(session, ctx.clock.now(), 'failed')]),
      ]);
      return;
    }
  }
}

function suspendedBy(view: StepView): RunStatus {
  const own = view.calls.some((row) => row.ownerSessionId === view.session.sessionId);
  return own ? 'suspended_client_tool' : 'suspended_awaiting_children';
}

function failPlan(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  status: RunStatus,
  error: StoredError,
): CommitPlan {
  const { session } = view;
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  return {
    kind: 'end',
    rootId: run.rootId,
    commitId,
    now,
    guard: { sessions: [{ ...epochGuard(run, session.stepId), version: session.version }] },
    sessions: [
      {
        sessionId: run.sessionId,
        set: {
          status,
          error,
          failureReason: 'failed',
          // A child that waits for its parent to close it keeps its step, also one that only this process knew.
          ...(view.plan ? {} : leaveUnrecorded(view)),
          leaseOwner: null,
          leaseUntil: null,
          lastCommit: commitId,
          updatedAt: now,
        },
        raise: { version: true },
      },
    ],
    update: {
      runs: [{ runId: run.runId, set: { status, completedAt: now, stepCount: session.stepCount } }],
    },
    remove: { interrupts: [{ sessionId: run.sessionId, runId: run.runId }] },
  };
}
