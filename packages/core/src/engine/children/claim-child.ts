import { initialState } from '../../define/initial-state.ts';
import type { Parse } from '../../define/parse-with.ts';
import type { AgentConfig } from '../../define/types.ts';
import type { LoopRun } from '../../loop/host.ts';
import type { UserMessage } from '../../messages/message.ts';
import type { CommitGuard, CommitPlan, ReferenceUpdate } from '../../store/commit-plan.ts';
import type { PlannedCall, SessionRow } from '../../store/rows.ts';
import type { ClaimRequest } from '../claim/claim-plan.ts';
import { claim, hasBegun } from '../claim/claim.ts';
import { newStep } from '../claim/claimable.ts';
import type { EngineContext } from '../context.ts';
import { freshSession } from '../rows/fresh-session.ts';
import { loopRun } from '../rows/loop-run.ts';
import type { ReachedChild } from '../rows/child-view.ts';
import type { StepView } from '../rows/step-view.ts';
import { epochGuard, record } from '../rows/write.ts';
import { answersFor } from './answers-down.ts';
import { callTrace, hasTrace, withTrace } from '../../trace/trace-context.ts';
import { placeBelow } from '../../store/session-place.ts';

/** The call a child works for, with the agent that runs it. */
export interface ChildCall {
  readonly call: PlannedCall;
  readonly agent: AgentConfig;
  readonly parse: Parse;
}

type ParentWrites = {
  readonly guard: Omit<CommitGuard, 'sessions'>;
  readonly reference: ReferenceUpdate;
};

/**
 * Claims the child for the next continuation of its call, with the answers that are here: creates it, takes its run over
 * from a dead owner or begins its next run, as its row says. Null: a guard missed, read again.
 */
export async function claimChild(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  child: ReachedChild,
  childCall: ChildCall,
): Promise<LoopRun | null> {
  const { call } = childCall;
  const parent = parentWrites(view, child);
  // Raised before the claim: a repeat of this operation claims with the next continuation.
  if (child.place === 'own-store' && !(await raiseContinuation(ctx, run, view, parent)))
    return null;
  const continuation = child.reference.continuation + 1;
  const { session } = child;
  const isRunning = session?.status === 'running';
  const isTakeover = isRunning && hasBegun(ctx, session);
  const request = {
    mark: claimId(call, continuation, isTakeover),
    beside: child.place === 'same-store' ? withParent(run, view, parent) : withAnswers(child),
  };
  if (!session) return createChild(ctx, view.session, child, childCall, request);
  const trigger = isRunning ? 'takeover' : 'resume';
  return claim(ctx, { session }, { ...request, trigger });
}

async function createChild(
  ctx: EngineContext,
  parent: SessionRow,
  child: ReachedChild,
  { call, agent, parse }: ChildCall,
  request: Omit<ClaimRequest, 'trigger'>,
): Promise<LoopRun | null> {
  const { tags, metadata, stepId, streamId, userId } = parent;
  const customState = await initialState(agent, {}, parse);
  const trace = isTraced(ctx, parent) ? callTrace(parent, stepId, call.index) : undefined;
  const given = {
    agentType: agent.name,
    customState,
    tags,
    metadata: withTrace(metadata, trace),
  };
  const session: SessionRow = {
    ...freshSession(ctx, placeBelow(parent, child.ref.sessionId), given, ctx.clock.now()),
    parentStepId: stepId,
    parentIndex: call.index,
    streamId,
    userId,
  };
  const content = typeof call.input === 'string' ? call.input : JSON.stringify(call.input);
  const messages: UserMessage[] = [{ role: 'user', content }];
  return claim(ctx, newStep(session), { ...request, trigger: 'child', messages });
}

/** Somebody gave the turn a trace, or may make one of it. */
function isTraced(ctx: EngineContext, parent: SessionRow): boolean {
  return hasTrace(parent.metadata) || ctx.hooksFor(parent).length > 0;
}

/** At the parent: the continuation is raised while the reference is live and the call has no result. */
function parentWrites({ session }: StepView, { reference, ref }: ReachedChild): ParentWrites {
  const { sessionId, stepId } = session;
  const subSessionId = ref.sessionId;
  const { index, continuation } = reference;
  return {
    guard: {
      references: [{ sessionId, subSessionId, state: 'live' }],
      journalAbsent: [{ sessionId, stepId, index, kind: 'result' }],
    },
    reference: { sessionId, subSessionId, set: { continuation: continuation + 1 } },
  };
}

/** In one database: the same write, under the epoch of the parent's run. */
function withParent(
  run: LoopRun,
  view: StepView,
  { guard, reference }: ParentWrites,
): NonNullable<ClaimRequest['beside']> {
  return {
    guard: { ...guard, sessions: [epochGuard(run, view.session.stepId)] },
    sessions: [{ sessionId: run.sessionId, raise: { records: true } }],
    update: { references: [reference] },
  };
}

/** In a database of its own: with the answers that are open there. */
function withAnswers(child: ReachedChild): NonNullable<ClaimRequest['beside']> {
  return { guard: {}, update: { calls: answersFor(child) } };
}

function raiseContinuation(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  { guard, reference }: ParentWrites,
): Promise<boolean> {
  const parts = { insert: {}, update: { references: [reference] }, guard };
  return record(ctx, run, view.session.stepId, parts, async () => {
    const references = await view.store.readReferences(run);
    return references.some(
      ({ subSessionId, continuation }) =>
        subSessionId === reference.subSessionId && continuation === reference.set.continuation,
    );
  });
}

const TAKEOVER = '+';

/**
 * Marks the child's row as claimed for this call, and whether its run was taken over. Without a continuation: the part
 * that all claims for the call share.
 */
export function claimId(call: PlannedCall, continuation: number | '', isTakeover = false): string {
  return `${call.callId}#${continuation}${isTakeover ? TAKEOVER : ''}`;
}

/** The run that such a claim created or took over. */
export function claimedRun(session: SessionRow): LoopRun {
  return loopRun(session, session.lastCommit.endsWith(TAKEOVER));
}

/**
 * Delivers answers to a child that has a live owner or that its parent is about to close. Not to one that has suspended
 * meanwhile: it has no run that would take them in, and the next attempt claims it with the answers.
 */
export async function deliver(ctx: EngineContext, child: ReachedChild): Promise<void> {
  const calls = answersFor(child);
  if (calls.length === 0 || !child.session) return;
  const { sessionId, status } = child.session;
  const plan: CommitPlan = {
    kind: 'answer',
    rootId: child.ref.rootId,
    commitId: ctx.newId(),
    now: ctx.clock.now(),
    guard: { sessions: [{ sessionId, status: [status] }] },
    sessions: [{ sessionId }],
    update: { calls },
  };
  await ctx.databases.of(child.ref).commit(plan);
}
