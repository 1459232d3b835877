import type { ErrorCode } from '../../errors/codes.ts';
import { HelixError } from '../../errors/helix-error.ts';
import { isOutageCode } from '../../errors/store-outage.ts';
import type { CommitPlan } from '../../store/commit-plan.ts';
import type { LeftStep, RunStatus, StoredError } from '../../store/rows.ts';
import type { LoopRun, RunFailure } from '../../loop/host.ts';
import { endTree } from '../human/abort.ts';
import { withdrawEntry } from '../announce/chunk-entries.ts';
import type { EngineContext } from '../context.ts';
import { unannouncedChunks } from '../announce/unannounced-chunks.ts';
import { endOfRun } from '../rows/end-of-run.ts';
import { leftSteps, withdrawnRows } from '../rows/left-steps.ts';
import {
  journalLeft,
  leaveUnrecorded,
  ownsCall,
  readStepView,
  type StepScope,
  type StepView,
} from '../rows/step-view.ts';
import { owns } from '../rows/session-status.ts';
import { commit, epochGuard } from '../rows/write.ts';
import { isRoot } from '../../store/session-place.ts';

/**
 * Ends the run as failed, but not because of a store that does not work for now: such a run dies, and goes on under another
 * owner. Without a plan that is one plain commit. With one, a root closes its step and tree; a child
 * with an unsettled step never ends itself: it suspends with `error` and its parent closes it.
 */
export async function failRun(ctx: EngineContext, run: LoopRun, cause: RunFailure): Promise<void> {
  if (isOutageCode(cause.code))
    throw new HelixError({ code: cause.code as ErrorCode, message: cause.message });
  const error: StoredError = { code: cause.code, message: cause.message };
  for (;;) {
    const view = await readStepView(ctx, run);
    if (!view) return;
    const { session } = view;
    if (!owns(session, run)) {
      // A commit of this run ended it; the reply was lost and nothing was announced.
      if (session.epoch === run.epoch)
        await ctx.announcer.announce(session.streamId, await unannouncedChunks(ctx, view));
      return;
    }
    if (view.plan && isRoot(session)) {
      await endTree(ctx, session, {
        reason: 'failed',
        error,
        isMeant: (found) => owns(found, run),
      });
      return;
    }
    const status: RunStatus = view.plan ? suspendedBy(view) : 'failed';
    const plan = failPlan({ ctx, run, view }, status, error);
    if (await commit(view.store, session, plan)) {
      ctx.memory?.forget(run);
      // The store that failed may have applied a commit that nobody announced, or refused an answer that was streamed.
      await ctx.announcer.announce(session.streamId, [
        ...(await unannouncedChunks(ctx, view)),
        ...leftBy(view).map((left) => withdrawEntry(session, left, ctx.clock.now())),
      ]);
      return;
    }
  }
}

/** The steps that a failure leaves without an answer. */
function leftBy(view: StepView): LeftStep[] {
  return view.plan ? [] : leftSteps(view, 'failed');
}

function suspendedBy(view: StepView): RunStatus {
  const isOwn = view.calls.some((row) => ownsCall(view, row));
  return isOwn ? 'suspended_client_tool' : 'suspended_awaiting_children';
}

function failPlan(
  { ctx, run, view }: StepScope,
  status: RunStatus,
  error: StoredError,
): CommitPlan {
  const { session } = view;
  const { sessionId, stepId, stepCount, version } = session;
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const ended = endOfRun(run, { status, stepCount, commitId, now });
  // A child that waits for its parent to close it keeps its step, also one that is only in memory.
  const step = view.plan ? {} : leaveUnrecorded(view);
  return {
    kind: 'end',
    rootId: run.rootId,
    commitId,
    now,
    guard: { sessions: [{ ...epochGuard(run, stepId), version }] },
    sessions: [
      {
        sessionId,
        set: { ...ended.set, error, failureReason: 'failed', ...step },
        raise: { version: true },
      },
    ],
    insert: { journal: withdrawnRows(view, leftBy(view), now) },
    update: { runs: ended.runs },
    remove: {
      interrupts: [{ sessionId, runId: run.runId }],
      journal: view.plan ? [] : journalLeft(view),
    },
  };
}
