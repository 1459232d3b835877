import type { StateWrite } from '../../state/state-write.ts';
import type { CallUpdate, CommitPlan, RunUpdate } from '../../store/commit-plan.ts';
import type { JournalRow, RunStatus, SessionRow, SuspendedStatus } from '../../store/rows.ts';
import type { LoopRun } from '../../loop/host.ts';
import { settledUsage } from '../rows/call-usage.ts';
import type { EngineContext } from '../context.ts';
import type { Taken } from './decide-step.ts';
import { mergeState } from '../rows/merge-state.ts';
import { checkpointRow, messageRows, settleCall } from '../rows/session-rows.ts';
import { leaveUnrecorded, rowsToKeep, type StepView } from '../rows/step-view.ts';
import { epochGuard, settleGuard } from '../rows/write.ts';
import { callKey, callKeyText } from '../../store/call-key.ts';

/** The commit that ends a run at a human boundary: only while every call it read as open is open still. */
export function suspendPlan(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  taken: readonly Taken[],
  hookWrites: readonly StateWrite[],
): CommitPlan {
  const { session } = view;
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const status = suspendedStatus(view, taken);
  const customState = mergeState(session.customState, hookWrites);
  const first = session.stepMessage === null;
  const messages = first && view.plan ? messageRows(session, [view.plan.message], now) : [];
  const messageCount = session.messageCount + messages.length;
  const open = view.calls.filter((row) => row.state === 'open');
  const checkpoint = checkpointRow({
    session,
    version: session.version + 1,
    stepCount: session.stepCount,
    status,
    messageCount,
    customState,
    streamSequence: ctx.announcer.head(session.streamId),
    now,
    suffix: commitId.slice(-6),
  });
  const journal = taken.map(({ call, result }): JournalRow => ({
    sessionId: session.sessionId,
    stepId: session.stepId,
    index: call.index,
    kind: 'result',
    data: result,
    createdAt: now,
  }));
  const ended = endOfRun(run, session, status, commitId, now);
  return {
    kind: 'suspend',
    rootId: run.rootId,
    commitId,
    now,
    guard: { ...settleGuard(run, session), callsOpen: open.map(callKey) },
    sessions: [
      {
        sessionId: session.sessionId,
        set: {
          ...ended.set,
          customState,
          messageCount,
          stepMessage: session.stepMessage ?? messageCount,
        },
        raise: { version: true },
      },
    ],
    insert: {
      messages,
      journal,
      checkpoints: first ? [checkpoint] : [],
      usage: settledUsage(ctx, session, taken, now),
    },
    update: { calls: decidedCalls(view, taken, now), runs: ended.runs },
  };
}

/** Rows this commit is done with: answers taken in now, and approvals whose tool has run. */
export function decidedCalls(view: StepView, taken: readonly Taken[], now: number): CallUpdate[] {
  if (view.calls.length === 0) return [];
  const rows = new Map(taken.map(({ row }) => [callKeyText(row), row]));
  for (const row of view.calls) {
    if (row.ownerSessionId === view.session.sessionId && row.state === 'answered')
      rows.set(callKeyText(row), row);
  }
  return [...rows.values()].map((row) => settleCall(row, now));
}

/** The commit that obeys an interrupt: records, rows and children stay as they are. */
export function interruptPlan(ctx: EngineContext, run: LoopRun, view: StepView): CommitPlan {
  const { session } = view;
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const ended = endOfRun(run, session, 'interrupted', commitId, now);
  return {
    kind: 'suspend',
    rootId: run.rootId,
    commitId,
    now,
    guard: { sessions: [{ ...epochGuard(run, session.stepId), version: session.version }] },
    sessions: [
      {
        sessionId: session.sessionId,
        set: {
          ...ended.set,
          failureReason: view.interrupt?.reason ?? null,
          ...leaveUnrecorded(view),
        },
        raise: { version: true },
      },
    ],
    insert: rowsToKeep(ctx, view),
    update: { runs: ended.runs },
    remove: { interrupts: [{ sessionId: session.sessionId, runId: run.runId }] },
  };
}

/** What every end of a run writes: status, no lease, the run record closed. */
export function endOfRun(
  run: LoopRun,
  session: SessionRow,
  status: RunStatus,
  commitId: string,
  now: number,
  stepCount: number = session.stepCount,
): {
  set: Partial<SessionRow>;
  runs: RunUpdate[];
} {
  return {
    set: { status, leaseOwner: null, leaseUntil: null, lastCommit: commitId, updatedAt: now },
    runs: [{ runId: run.runId, set: { status, completedAt: now, stepCount } }],
  };
}

function suspendedStatus(view: StepView, taken: readonly Taken[]): SuspendedStatus {
  const takenRows = new Set(taken.map(({ row }) => callKeyText(row)));
  const takenCalls = new Set(taken.map(({ call }) => call.index));
  const waiting = view.calls.filter((row) => !takenRows.has(callKeyText(row)));
  const humanDone = (view.plan?.calls ?? []).some(
    (call) =>
      (call.class === 'client' || call.class === 'approval') &&
      (view.results.has(call.index) || takenCalls.has(call.index)),
  );
  if (humanDone && waiting.some((row) => row.state === 'open')) return 'suspended_step_partial';
  const own = waiting.some((row) => row.ownerSessionId === view.session.sessionId);
  return own ? 'suspended_client_tool' : 'suspended_awaiting_children';
}
