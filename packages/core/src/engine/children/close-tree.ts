import type {
  CallUpdate,
  CommitPlan,
  ReferenceUpdate,
  RunUpdate,
  SessionGuard,
  SessionUpdate,
} from '../../store/commit-plan.ts';
import type {
  CallKey,
  CallOutcomeName,
  ChildReferenceRow,
  CloseReason,
  MessageRow,
  OpenCallRow,
  SessionRow,
  UsageRow,
} from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { settledUsage } from '../rows/call-usage.ts';
import { childEndEntry, claimedEntries } from '../announce/child-end.ts';
import { discardEntry, endEntries, speakerOf } from '../announce/chunk-entries.ts';
import { abandonStep } from './abandon-step.ts';
import type { EngineContext } from '../context.ts';
import { mergeState, orderedWrites } from '../rows/merge-state.ts';
import { keyOf, messageRows, settleCall } from '../rows/session-rows.ts';
import { isTerminal } from '../rows/session-status.ts';
import { readStepTree, type ChildView, type StepTree } from '../rows/child-view.ts';
import { unwrittenUsage } from '../rows/step-view.ts';

/** The parts of one batch that closes a session's step and, in the same database, its whole subtree. */
export interface TreeClose {
  readonly guards: SessionGuard[];
  readonly callsOpen: CallKey[];
  readonly sessions: SessionUpdate[];
  readonly messages: MessageRow[];
  readonly calls: CallUpdate[];
  readonly references: ReferenceUpdate[];
  readonly journal: { sessionId: string; stepId: number }[];
  readonly interrupts: { sessionId: string; runId: string }[];
  readonly runs: RunUpdate[];
  readonly usage: UsageRow[];
  /** The sessions that it closes, as they were before. */
  readonly closed: StepTree[];
  /** Chunks that are true after the commit. */
  readonly ends: StreamEntry[];
}

type Answers = ReadonlyMap<string, OpenCallRow>;

/** What the closed session becomes; its step fields are filled in by the close. */
export type FinalFields = Partial<SessionRow>;

/**
 * Collects the close of `view` and every live descendant in its database. Children that live apart become `closing`:
 * their own database closes them afterwards. `answers` came down from above and count as accepted.
 */
export async function closeTree(
  ctx: EngineContext,
  view: StepTree,
  reason: CloseReason,
  final: FinalFields,
  answers: Answers = new Map(),
): Promise<TreeClose> {
  const parts = nothingToClose();
  await closeOne(ctx, view, reason, final, answers, parts);
  return parts;
}

export function nothingToClose(): TreeClose {
  return {
    guards: [],
    callsOpen: [],
    sessions: [],
    messages: [],
    calls: [],
    references: [],
    journal: [],
    interrupts: [],
    runs: [],
    usage: [],
    closed: [],
    ends: [],
  };
}

async function closeOne(
  ctx: EngineContext,
  view: StepTree,
  reason: CloseReason,
  final: FinalFields,
  answers: Answers,
  parts: TreeClose,
): Promise<void> {
  const { session } = view;
  const now = ctx.clock.now();
  const step = abandonStep(view, reason, answers);
  const byIndex = new Map(step.calls.map((call, position) => [call.index, step.results[position]]));
  const writes = [
    ...(view.plan?.writes ?? []),
    ...orderedWrites(step.calls, (call) => byIndex.get(call.index)),
  ];
  const messages = messageRows(session, step.messages, now);

  parts.guards.push({
    sessionId: session.sessionId,
    version: session.version,
    records: session.records,
    epoch: session.epoch,
  });
  parts.sessions.push({
    sessionId: session.sessionId,
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
  parts.messages.push(...messages);
  parts.journal.push({ sessionId: session.sessionId, stepId: session.stepId });
  parts.interrupts.push({ sessionId: session.sessionId, runId: session.runId });
  if (session.status === 'running') {
    const status = 'failed' as const;
    parts.runs.push({
      runId: session.runId,
      set: { status, completedAt: now, stepCount: session.stepCount },
    });
  }
  parts.usage.push(...unwrittenUsage(ctx, view), ...settledUsage(ctx, session, step.settled, now));
  parts.closed.push(view);
  step.calls.forEach((call, position) => {
    const result = step.results[position];
    if (result) parts.ends.push(...endEntries(speakerOf(session), now, call, result.outcome));
  });
  if (!view.plan) parts.ends.push(discardEntry(session, now, reason));
  closeCalls(view, reason, answers, now, parts);
  await closeChildren(ctx, view, reason, answers, parts);
}

/** Own rows become settled. Rows of children elsewhere only learn their outcome; their own close settles them. */
function closeCalls(
  view: StepTree,
  reason: CloseReason,
  answers: Answers,
  now: number,
  parts: TreeClose,
): void {
  const apart = [...view.childViews.values()]
    .filter((child) => child.place !== 'same-store')
    .map((child) => child.ref.sessionId);
  for (const row of view.calls) {
    const own = row.ownerSessionId === view.session.sessionId;
    const below = apart.some((sessionId) => row.route.includes(sessionId));
    if (!own && !below) continue;
    if (row.state === 'open') parts.callsOpen.push(keyOf(row));
    const outcome = row.state === 'open' ? outcomeFor(row, reason, answers, now) : {};
    if (own) {
      const settled = settleCall(row, now);
      parts.calls.push({ ...settled, set: { ...outcome, ...settled.set } });
    } else if (row.state === 'open') {
      parts.calls.push({ key: keyOf(row), set: { state: 'answered', ...outcome } });
    }
  }
}

function outcomeFor(
  row: OpenCallRow,
  reason: CloseReason,
  answers: Answers,
  now: number,
): CallUpdate['set'] {
  const given = answers.get(row.toolCallId);
  if (given) {
    const { outcome, answer, answeredBy, answeredAt } = given;
    return { outcome, answer, answeredBy, answeredAt };
  }
  const outcome: CallOutcomeName = reason === 'superseded' ? 'superseded' : 'cancelled';
  return { outcome, answer: { kind: 'none' }, answeredAt: now };
}

async function closeChildren(
  ctx: EngineContext,
  view: StepTree,
  reason: CloseReason,
  answers: Answers,
  parts: TreeClose,
): Promise<void> {
  for (const child of view.childViews.values()) {
    parts.references.push({
      sessionId: child.reference.sessionId,
      subSessionId: child.reference.subSessionId,
      set: closedReference(child, reason, ctx.clock.now()),
    });
    parts.ends.push(...childEnds(view.session, child, reason, ctx.clock.now()));
    if (child.place !== 'same-store' || !child.session || isTerminal(child.session)) continue;
    const below = await readStepTree(ctx, child.ref);
    if (below && !isTerminal(below.session)) {
      await closeOne(ctx, below, reason, closedChild(below.session, reason), answers, parts);
    }
  }
}

/** The end of a child that has not ended by itself, as far as that is known. */
function childEnds(
  parent: SessionRow,
  child: ChildView,
  reason: CloseReason,
  now: number,
): StreamEntry[] {
  const { reference } = child;
  const error = { code: reason, message: `Ended by its parent (${reason}).` };
  const outcome = { success: false as const, error };
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
    ? { state: 'closed', completedAt: now }
    : { state: 'closing', closeReason: reason };
}

/** A child that its parent ended: it refuses everything from now on. */
export function closedChild(session: SessionRow, reason: CloseReason): FinalFields {
  return {
    status: 'failed',
    closed: true,
    epoch: session.epoch + 1,
    failureReason: reason,
    error: session.error ?? { code: 'run_aborted', message: `Ended by its parent (${reason}).` },
    leaseOwner: null,
    leaseUntil: null,
  };
}

/** What a close writes. */
export type CloseWrites = Pick<CommitPlan, 'guard' | 'sessions' | 'insert' | 'update' | 'remove'>;

export function closeWrites(parts: TreeClose): CloseWrites {
  return {
    guard: { sessions: parts.guards, callsOpen: parts.callsOpen },
    sessions: parts.sessions,
    insert: { messages: parts.messages, usage: parts.usage },
    update: { calls: parts.calls, references: parts.references, runs: parts.runs },
    remove: { journal: parts.journal, interrupts: parts.interrupts },
  };
}

/** A close as a commit of its own. */
export function closePlan(
  ctx: EngineContext,
  rootId: string,
  commitId: string,
  parts: TreeClose,
): CommitPlan {
  return { kind: 'abandon', rootId, commitId, now: ctx.clock.now(), ...closeWrites(parts) };
}
