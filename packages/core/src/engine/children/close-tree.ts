/**
 * Closes sessions from outside: by an abort, a superseding message, time travel, a parent that gives up on a child, or the close of
 * a child in a store of its own.
 *
 * Owns: what one batch writes to close a session's step and every live descendant in the same store.
 * Does not own: the commit itself and what it becomes part of (the callers), the close of children in stores of their own
 * (`close-child.ts`, after the commit), the announcements (`announce-close.ts`).
 *
 * I1. The batch is guarded by version, epoch and records of every session it closes, and by every call it read as open: if
 *     anything was written to one of them meanwhile, the batch misses and the caller reads again.
 * I2. No row is written twice in a batch.
 * I3. An accepted answer is kept: it becomes the result of its call, for every reason of a close (`abandon-step.ts`).
 * I4. A child in a store of its own becomes `closing`; its rows here learn their outcome and are settled when it is closed.
 */
import type { CallUpdate } from '../../store/commit-plan.ts';
import type {
  CallOutcomeName,
  ChildReferenceRow,
  CloseReason,
  OpenCallRow,
  SessionRow,
} from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { childEndEntry, claimedEntries } from '../announce/child-end.ts';
import { stoppedEntry, withdrawEntry } from '../announce/chunk-entries.ts';
import { resultEntries } from '../announce/result-entries.ts';
import type { EngineContext } from '../context.ts';
import { settledUsage } from '../rows/call-usage.ts';
import { readStepTree, type ChildView, type StepTree } from '../rows/child-view.ts';
import { leftSteps, withdrawnRows } from '../rows/left-steps.ts';
import { mergeState, orderedWrites } from '../rows/merge-state.ts';
import { messageRows, settleCall } from '../rows/session-rows.ts';
import { isTerminal } from '../rows/session-status.ts';
import { ownsCall, standingText, unwrittenUsage } from '../rows/step-view.ts';
import { abandonStep, type AbandonedStep } from './abandon-step.ts';
import { nothingToClose, type TreeClose } from './tree-close.ts';
import { callKey, callKeyText } from '../../store/call-key.ts';
import { codedError } from '../../errors/coded-error.ts';
import { failure } from '../rows/answer-result.ts';

/** By `callKeyText`. */
type Answers = ReadonlyMap<string, OpenCallRow>;

/** What the closed session becomes; its step fields are filled in by the close. */
export type FinalFields = Partial<SessionRow>;

/** One close under way. */
interface Closing {
  readonly ctx: EngineContext;
  readonly reason: CloseReason;
  readonly answers: Answers;
  readonly now: number;
  /** The writes collected so far. */
  readonly parts: TreeClose;
}

/** Collects the close of `view` and its descendants. `answers` came down from above and count as accepted. */
export async function closeTree(
  ctx: EngineContext,
  view: StepTree,
  reason: CloseReason,
  final: FinalFields,
  answers: Answers = new Map(),
): Promise<TreeClose> {
  const parts = nothingToClose();
  await closeOne({ ctx, reason, answers, now: ctx.clock.now(), parts }, view, final);
  return parts;
}

async function closeOne(closing: Closing, view: StepTree, final: FinalFields): Promise<void> {
  const { ctx, reason, answers, now, parts } = closing;
  const { session } = view;
  const { sessionId, stepId, runId } = session;
  const step = abandonStep(view, reason, answers);
  closeSession(closing, view, step, final);
  parts.journal.push({ sessionId, stepId });
  parts.interrupts.push({ sessionId, runId });
  if (session.status === 'running') {
    const set = { status: 'failed', completedAt: now, stepCount: session.stepCount } as const;
    parts.runs.push({ runId, set });
  }
  parts.usage.push(...unwrittenUsage(ctx, view), ...settledUsage(ctx, session, step.settled, now));
  parts.closed.push(view);
  step.calls.forEach((call, position) => {
    const result = step.results[position];
    if (result) parts.ends.push(...resultEntries(view, now, call, result.outcome));
  });
  if (!view.plan) leaveStep(closing, view);
  closeCalls(closing, view);
  await closeChildren(closing, view);
}

/** Withdraws a step without a model answer, and the text of a stopped model before it unless that is now in the transcript. */
function leaveStep({ reason, now, parts }: Closing, view: StepTree): void {
  const { session } = view;
  const kept = reason === 'superseded' ? standingText(view) : null;
  if (kept) {
    parts.ends.push(stoppedEntry(session, kept, now));
    return;
  }
  const left = leftSteps(view, reason);
  parts.left.push(...withdrawnRows(view, left, now));
  parts.ends.push(...left.map((step) => withdrawEntry(session, step, now)));
}

/** The session row and the messages of its abandoned step. */
function closeSession(
  { now, parts }: Closing,
  { session, plan }: StepTree,
  { calls, results, messages }: AbandonedStep,
  final: FinalFields,
): void {
  const { sessionId, version, records, epoch } = session;
  const byIndex = new Map(calls.map((call, position) => [call.index, results[position]]));
  const writes = [
    ...(plan?.writes ?? []),
    ...orderedWrites(calls, (call) => byIndex.get(call.index)),
  ];
  parts.guards.push({ sessionId, version, records, epoch });
  parts.messages.push(...messageRows(session, messages, now));
  parts.sessions.push({
    sessionId,
    set: {
      ...final,
      stepId: session.stepId + 1,
      stepMessage: null,
      messageCount: session.messageCount + messages.length,
      customState: mergeState(session.customState, writes),
      updatedAt: now,
    },
    raise: { version: true },
  });
}

/** Own rows become settled; rows of children in stores of their own only learn their outcome (I4). */
function closeCalls({ reason, answers, now, parts }: Closing, view: StepTree): void {
  const elsewhere = [...view.childViews.values()]
    .filter((child) => child.place !== 'same-store')
    .map((child) => child.ref.sessionId);
  for (const row of view.calls) {
    const isOwn = ownsCall(view, row);
    const isBelow = elsewhere.some((sessionId) => row.route.includes(sessionId));
    if (!isOwn && !isBelow) continue;
    if (row.state === 'open') parts.callsOpen.push(callKey(row));
    const outcome = row.state === 'open' ? outcomeFor(row, reason, answers, now) : {};
    if (isOwn) {
      const settled = settleCall(row, now);
      parts.calls.push({ ...settled, set: { ...outcome, ...settled.set } });
    } else if (row.state === 'open') {
      parts.calls.push({ key: callKey(row), set: { state: 'answered', ...outcome } });
    }
  }
}

function outcomeFor(
  row: OpenCallRow,
  reason: CloseReason,
  answers: Answers,
  now: number,
): CallUpdate['set'] {
  const given = answers.get(callKeyText(row));
  if (given) {
    const { outcome, answer, answeredBy, answeredAt } = given;
    return { outcome, answer, answeredBy, answeredAt };
  }
  const outcome: CallOutcomeName = reason === 'superseded' ? 'superseded' : 'cancelled';
  return { outcome, answer: { kind: 'none' }, answeredAt: now };
}

async function closeChildren(closing: Closing, view: StepTree): Promise<void> {
  const { ctx, reason, now, parts } = closing;
  for (const child of view.childViews.values()) {
    const { sessionId, subSessionId } = child.reference;
    const set = closedReference(child, reason, now);
    parts.references.push({ sessionId, subSessionId, set });
    parts.ends.push(...childEnds(view.session, child, reason, now));
    if (child.place !== 'same-store' || !child.session || isTerminal(child.session)) continue;
    const below = await readStepTree(ctx, child.ref);
    if (below && !isTerminal(below.session))
      await closeOne(closing, below, closedChild(below.session, reason));
  }
}

/** The `subagent_end` of a child that had not ended, as far as its row can be read. */
function childEnds(
  parent: SessionRow,
  child: ChildView,
  reason: CloseReason,
  now: number,
): StreamEntry[] {
  const { reference } = child;
  const { outcome } = failure('subagent_failed', `Ended by its parent (${reason}).`);
  switch (child.place) {
    case 'same-store':
    case 'own-store': {
      const isLive = child.session && !isTerminal(child.session);
      return isLive ? [childEndEntry(parent, reference, outcome, now)] : [];
    }
    case 'unreachable':
      return reference.state === 'live' ? claimedEntries(parent, reference, outcome, now) : [];
  }
}

function closedReference(
  { place }: ChildView,
  reason: CloseReason,
  now: number,
): Partial<ChildReferenceRow> {
  return place === 'same-store'
    ? { state: 'closed', status: 'failed', completedAt: now }
    : { state: 'closing', status: 'failed', closeReason: reason };
}

/** A child that its parent ended: it refuses everything from now on. */
export function closedChild(session: SessionRow, reason: CloseReason): FinalFields {
  return {
    status: 'failed',
    closed: true,
    epoch: session.epoch + 1,
    failureReason: reason,
    error: session.error ?? codedError('run_aborted', `Ended by its parent (${reason}).`),
    leaseOwner: null,
    leaseUntil: null,
  };
}
