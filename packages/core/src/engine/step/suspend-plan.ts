import type { StateWrite } from '../../state/state-write.ts';
import type { CallUpdate, CommitInserts, CommitPlan } from '../../store/commit-plan.ts';
import type {
  JournalRow,
  LeftStep,
  OpenCallRow,
  SessionRow,
  SuspendedStatus,
} from '../../store/rows.ts';
import type { EngineContext } from '../context.ts';
import { callKey, callKeyText } from '../../store/call-key.ts';
import { settledUsage } from '../rows/call-usage.ts';
import { endOfRun } from '../rows/end-of-run.ts';
import { leftSteps, withdrawnRows } from '../rows/left-steps.ts';
import { mergeState } from '../rows/merge-state.ts';
import { checkpointRow, messageRows, saidInStep, settleCall } from '../rows/session-rows.ts';
import {
  isInMemory,
  journalLeft,
  leaveUnrecorded,
  ownsCall,
  rowsToKeep,
  type StepScope,
  type StepView,
} from '../rows/step-view.ts';
import { epochGuard, settleGuard } from '../rows/write.ts';
import type { AcceptedAnswer } from './decide-step.ts';
import type { Said } from './said-so-far.ts';

/** The commit that ends a run at a human boundary: only while every call it read as open is still open. */
export function suspendPlan(
  { ctx, run, view }: StepScope,
  accepted: readonly AcceptedAnswer[],
  hookWrites: readonly StateWrite[],
): CommitPlan {
  const { session } = view;
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const { stepCount } = session;
  const status = suspendedStatus(view, accepted);
  const customState = mergeState(session.customState, hookWrites);
  const isFirst = session.stepMessage === null;
  const messages = isFirst && view.plan ? messageRows(session, saidInStep(view.plan), now) : [];
  const messageCount = session.messageCount + messages.length;
  const checkpoint = checkpointRow({
    session,
    version: session.version + 1,
    stepCount,
    status,
    messageCount,
    customState,
    streamSequence: ctx.announcer.head(session.streamId),
    now,
    suffix: commitId.slice(-6),
  });
  const ended = endOfRun(run, { status, stepCount, commitId, now });
  const stepMessage = session.stepMessage ?? messageCount;
  return {
    kind: 'suspend',
    rootId: run.rootId,
    commitId,
    now,
    guard: { ...settleGuard(run, session), callsOpen: openRows(view).map(callKey) },
    sessions: [
      {
        sessionId: session.sessionId,
        set: { ...ended.set, customState, messageCount, stepMessage },
        raise: { version: true },
      },
    ],
    insert: {
      messages,
      journal: resultRows(view, accepted, now),
      checkpoints: isFirst ? [checkpoint] : [],
      usage: settledUsage(ctx, session, accepted, now),
    },
    update: { calls: decidedCalls(view, accepted, now), runs: ended.runs },
  };
}

/** Rows of this session and its descendants that wait for a person. */
export function openRows({ calls }: StepView): readonly OpenCallRow[] {
  return calls.filter((row) => row.state === 'open');
}

function resultRows(
  { session }: StepView,
  accepted: readonly AcceptedAnswer[],
  now: number,
): JournalRow[] {
  const { sessionId, stepId, turn: run } = session;
  return accepted.map(({ call, result }) => ({
    sessionId,
    stepId,
    index: call.index,
    kind: 'result',
    data: { ...result, run },
    createdAt: now,
  }));
}

/** Rows this commit is done with: accepted answers, and approvals whose tool has run. */
export function decidedCalls(
  view: StepView,
  accepted: readonly AcceptedAnswer[],
  now: number,
): CallUpdate[] {
  const rows = new Map(accepted.map(({ row }) => [callKeyText(row), row]));
  for (const row of view.calls) {
    if (ownsCall(view, row) && row.state === 'answered') rows.set(callKeyText(row), row);
  }
  return [...rows.values()].map((row) => settleCall(row, now));
}

/** What an interrupt finds. */
interface Interrupted {
  /** By a model that it cut. */
  readonly said?: Said;
  readonly hookWrites?: readonly StateWrite[];
}

/** The commit that obeys an interrupt: records, rows and children stay as they are. */
export function interruptPlan(
  { ctx, run, view }: StepScope,
  { said, hookWrites = [] }: Interrupted,
): CommitPlan {
  const { session } = view;
  const { stepCount } = session;
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const ended = endOfRun(run, { status: 'interrupted', stepCount, commitId, now });
  const failureReason = view.interrupt?.reason ?? null;
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
          failureReason,
          ...leaveUnrecorded(view),
          ...(hookWrites.length > 0 && {
            customState: mergeState(session.customState, hookWrites),
          }),
        },
        raise: { version: true },
      },
    ],
    insert: interruptRows({ ctx, run, view }, said, now),
    update: { runs: ended.runs },
    remove: {
      interrupts: [{ sessionId: session.sessionId, runId: run.runId }],
      journal: journalLeft(view),
    },
  };
}

function interruptRows(
  { ctx, view }: StepScope,
  said: Said | undefined,
  now: number,
): CommitInserts {
  if (said) return { journal: [stoppedRow(ctx, view.session, said, now)] };
  const left = leftByInterrupt(view);
  return left.length > 0 ? { journal: withdrawnRows(view, left, now) } : rowsToKeep(ctx, view);
}

/** The steps that an interrupt leaves without an answer: a plan that was kept in memory is lost with the run. */
export function leftByInterrupt(view: StepView): LeftStep[] {
  return isInMemory(view) ? leftSteps(view, 'interrupted') : [];
}

/** Beside the step that is open after the interrupt. */
function stoppedRow(ctx: EngineContext, session: SessionRow, said: Said, now: number): JournalRow {
  const { sessionId, stepId: step, messageCount } = session;
  const message = {
    role: 'assistant',
    id: ctx.newId(),
    content: said.text,
    ...(said.thinking === '' ? {} : { thinking: said.thinking }),
    stopped: true,
  } as const;
  const data = { step, messageCount, message };
  return { sessionId, stepId: step + 1, index: -1, kind: 'stopped', data, createdAt: now };
}

/**
 * What a session waits for: `step_partial` when some human calls of the step are answered and others are open, else its own
 * calls, else those of its children.
 */
export function suspendedStatus(
  view: Pick<StepView, 'session' | 'plan' | 'results' | 'calls'>,
  accepted: readonly AcceptedAnswer[],
): SuspendedStatus {
  const acceptedRows = new Set(accepted.map(({ row }) => callKeyText(row)));
  const acceptedCalls = new Set(accepted.map(({ call }) => call.index));
  const waiting = view.calls.filter((row) => !acceptedRows.has(callKeyText(row)));
  const humanDone = (view.plan?.calls ?? []).some(
    (call) =>
      (call.class === 'client' || call.class === 'approval') &&
      (view.results.has(call.index) || acceptedCalls.has(call.index)),
  );
  if (humanDone && waiting.some((row) => row.state === 'open')) return 'suspended_step_partial';
  const isOwn = waiting.some((row) => ownsCall(view, row));
  return isOwn ? 'suspended_client_tool' : 'suspended_awaiting_children';
}
