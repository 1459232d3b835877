import { initialState } from '../../define/initial-state.ts';
import { isSubAgentTool, SUBAGENT_TOOL_PREFIX } from '../../define/sub-agent-tool.ts';
import type { AgentConfig } from '../../define/types.ts';
import { HookScope } from '../../hooks/fire-hooks.ts';
import type { JsonValue } from '../../json.ts';
import type { UserMessage } from '../../messages/message.ts';
import type { CallUpdate, CommitPlan, SessionGuard } from '../../store/commit-plan.ts';
import type { PlannedCall, RunRow, SessionRow } from '../../store/rows.ts';
import type { LoopRun } from '../loop/host.ts';
import { entry, speakerOf } from './chunk-entries.ts';
import { freshSession, loopRun, newRun, ownership } from './claim.ts';
import type { EngineContext } from './context.ts';
import { giveUpChild } from './give-up-child.ts';
import { requireAgent } from './require-agent.ts';
import { keyOf, messageRows } from './session-rows.ts';
import {
  isSuspended,
  isTerminal,
  ownerIsDead,
  owns,
  readStepView,
  type ChildView,
  type StepView,
} from './step-view.ts';
import { commitSurely, epochGuard, record, versionGuard } from './write.ts';

/** What the caller does next with the child of a call. */
export type StartedChild =
  /** Drive this run of the child, then collect. */
  | {
      readonly ok: true;
      readonly kind: 'run';
      readonly run: LoopRun;
      /** Time its earlier runs took; what it waited for a person does not count. */
      readonly usedMs: number;
    }
  /** It has a live owner elsewhere: ask again later. */
  | { readonly ok: true; readonly kind: 'wait' }
  /** Nothing to drive: collect what it has. */
  | { readonly ok: true; readonly kind: 'collect' }
  | { readonly ok: false; readonly code: string };

const STALE: StartedChild = { ok: false, code: 'stale' };
const COLLECT: StartedChild = { ok: true, kind: 'collect' };
const WAIT: StartedChild = { ok: true, kind: 'wait' };

/** Starts the child of a call, or takes it up again with the answers that are here. The child's own row decides. */
export async function startChild(
  ctx: EngineContext,
  run: LoopRun,
  index: number,
): Promise<StartedChild> {
  for (;;) {
    const view = await readStepView(ctx, run);
    if (!view || !owns(view.session, run)) return STALE;
    const call = view.plan?.calls.find((candidate) => candidate.index === index);
    const child = view.childViews.get(index);
    if (!call || !child || child.reference.state !== 'live' || view.results.has(index))
      return COLLECT;

    const agent = subAgentOf(ctx, view, call);
    if (!agent) {
      await giveUpChild(
        ctx,
        run,
        index,
        'dispatch_failed',
        'it is no longer among the tools of its parent',
      );
      return COLLECT;
    }
    const move = decideStart(ctx, child, call);
    if (move !== 'claim') return withoutClaim(ctx, run, child, move);
    const claimed = await claimChild(ctx, run, view, child, call, agent);
    if (!claimed) continue;
    await announceStart(ctx, view.session, child);
    return driven(ctx, claimed);
  }
}

/** The child is driven already, has ended, waits, or failed by itself and has to be ended by its parent. */
async function withoutClaim(
  ctx: EngineContext,
  run: LoopRun,
  child: ChildView,
  move: Exclude<Move, 'claim'>,
): Promise<StartedChild> {
  if (move === 'collect') return COLLECT;
  if (move === 'mine' && child.session) return driven(ctx, loopRun(child.session));
  await deliver(ctx, child);
  if (move !== 'failed') return WAIT;
  if (child.apart && child.callsHere.some((row) => row.state === 'open')) return COLLECT;
  const given = await giveUpChild(ctx, run, child.reference.index, 'error');
  return given.ok ? COLLECT : STALE;
}

async function driven(ctx: EngineContext, run: LoopRun): Promise<StartedChild> {
  const runs = await ctx.databases.of(run).readRuns(run);
  const usedMs = runs.reduce(
    (sum, { startedAt, completedAt }) => sum + (completedAt ?? startedAt) - startedAt,
    0,
  );
  return { ok: true, kind: 'run', run, usedMs };
}

type Move = 'claim' | 'mine' | 'wait' | 'collect' | 'failed';

function decideStart(ctx: EngineContext, child: ChildView, call: PlannedCall): Move {
  const { session } = child;
  if (!session) return 'claim';
  if (isTerminal(session)) return 'collect';
  if (session.status === 'running') {
    if (claimIsMine(ctx, call, session)) return 'mine';
    return ownerIsDead(session, ctx.clock.now()) ? 'claim' : 'wait';
  }
  if (session.status === 'interrupted') return 'claim';
  if (isSuspended(session) && session.error) return 'failed';
  return answersFor(child).length > 0 || hasAnswer(child) ? 'claim' : 'collect';
}

/** In one database an answered row of the subtree is reason enough; apart, it has to be open there. */
function hasAnswer(child: ChildView): boolean {
  return !child.apart && child.callsHere.some((row) => row.state === 'answered');
}

/** My own claim for this call, not driven yet: its reply got lost, or a doubled attempt raised the continuation. */
function claimIsMine(ctx: EngineContext, call: PlannedCall, session: SessionRow): boolean {
  if (!session.lastCommit.startsWith(claimId(call, ''))) return false;
  if (ctx.isDriving(session.sessionId, session.epoch)) return false;
  return ctx.identity.leaseMs === null
    ? !session.started
    : session.leaseOwner === ctx.identity.owner;
}

function claimId(call: PlannedCall, continuation: number | ''): string {
  return `${call.callId}#${continuation}`;
}

function subAgentOf(
  ctx: EngineContext,
  view: StepView,
  call: PlannedCall,
): AgentConfig | undefined {
  if (!isSubAgentTool(call.toolName)) return undefined;
  const parent = requireAgent(ctx, view.session);
  return parent.tools?.find((tool) => tool.name === call.toolName)?.subAgent?.agent;
}

/** Answers here for calls that are open in the child's own database. */
function answersFor(child: ChildView): CallUpdate[] {
  if (!child.apart) return [];
  const open = new Set(
    child.callsThere.filter((row) => row.state === 'open').map((row) => row.toolCallId),
  );
  return child.callsHere
    .filter((row) => row.state === 'answered' && open.has(row.toolCallId))
    .map(({ outcome, answer, answeredBy, answeredAt, ...row }) => ({
      key: keyOf({ ...row, outcome, answer, answeredBy, answeredAt }),
      set: { state: 'answered', outcome, answer, answeredBy, answeredAt },
      onlyIf: 'open',
    }));
}

/** Hands answers to a child that somebody drives or that its parent is about to close. */
async function deliver(ctx: EngineContext, child: ChildView): Promise<void> {
  const calls = answersFor(child);
  if (calls.length === 0) return;
  const plan: CommitPlan = {
    rootId: child.ref.rootId,
    commitId: ctx.newId(),
    now: ctx.clock.now(),
    guard: {},
    sessions: [{ sessionId: child.ref.sessionId }],
    update: { calls },
  };
  await ctx.databases.of(child.ref).commit(plan);
}

async function claimChild(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  child: ChildView,
  call: PlannedCall,
  agent: AgentConfig,
): Promise<LoopRun | null> {
  const continuation = child.reference.continuation + 1;
  const claim = await childClaim(ctx, view, child, call, agent, claimId(call, continuation));
  const reference = {
    sessionId: run.sessionId,
    subSessionId: child.ref.sessionId,
    set: { continuation },
  };
  const guard = {
    references: [
      { sessionId: run.sessionId, subSessionId: child.ref.sessionId, state: 'live' as const },
    ],
    journalAbsent: [
      {
        sessionId: run.sessionId,
        stepId: view.session.stepId,
        index: call.index,
        kind: 'result' as const,
      },
    ],
  };
  const store = ctx.databases.of(child.ref);
  let { claimed } = claim;
  const isClaimed = async (): Promise<boolean> => {
    const after = await store.readSession(child.ref);
    if (after?.lastCommit !== claimed.lastCommit || after.epoch !== claimed.epoch) return false;
    // Another attempt at this continuation may have been first: then its run is the child's run.
    claimed = after;
    return true;
  };
  const base: CommitPlan = {
    rootId: run.rootId,
    commitId: ctx.newId(),
    now: ctx.clock.now(),
    guard: { sessions: [claim.guard] },
    insert: claim.insert,
    sessions: claim.update,
  };
  if (!child.apart) {
    const plan: CommitPlan = {
      ...base,
      guard: { ...guard, sessions: [epochGuard(run, view.session.stepId), claim.guard] },
      sessions: [{ sessionId: run.sessionId, raise: { records: true } }, ...claim.update],
      update: { references: [reference] },
    };
    return (await commitSurely(store, plan, isClaimed)) ? loopRun(claimed) : null;
  }
  // The continuation is raised first: whoever repeats this finds it and claims under the next one.
  const raised = await record(
    ctx,
    run,
    view.session.stepId,
    { insert: {}, update: { references: [reference] }, guard },
    async () => {
      const references = await view.store.readReferences(run);
      return references.some(
        (row) => row.subSessionId === child.ref.sessionId && row.continuation === continuation,
      );
    },
  );
  if (!raised) return null;
  const plan: CommitPlan = { ...base, update: { calls: answersFor(child) } };
  return (await commitSurely(store, plan, isClaimed)) ? loopRun(claimed) : null;
}

interface ChildClaim {
  readonly guard: SessionGuard;
  readonly update: NonNullable<CommitPlan['sessions']>;
  readonly insert: NonNullable<CommitPlan['insert']>;
  readonly claimed: SessionRow;
}

async function childClaim(
  ctx: EngineContext,
  view: StepView,
  child: ChildView,
  call: PlannedCall,
  agent: AgentConfig,
  commitId: string,
): Promise<ChildClaim> {
  const now = ctx.clock.now();
  if (!child.session) return creation(ctx, view.session, child, call, agent, commitId, now);
  const { session } = child;
  if (session.status === 'running') {
    const set: Partial<SessionRow> = {
      ...ownership(ctx, now),
      epoch: session.epoch + 1,
      recoveries: session.recoveries + (session.leaseUntil === null ? 0 : 1),
      lastCommit: commitId,
    };
    return {
      guard: { ...versionGuard(session), status: ['running'], leaseExpired: true },
      update: [{ sessionId: session.sessionId, set, raise: { version: true } }],
      insert: {},
      claimed: { ...session, ...set },
    };
  }
  const { update, run, claimed } = newRun(ctx, session, 'resume', now, commitId);
  return {
    guard: { ...versionGuard(session), status: [session.status] },
    update: [update],
    insert: { runs: [run] },
    claimed,
  };
}

async function creation(
  ctx: EngineContext,
  parent: SessionRow,
  child: ChildView,
  call: PlannedCall,
  agent: AgentConfig,
  commitId: string,
  now: number,
): Promise<ChildClaim> {
  const customState = (await initialState(agent)) as JsonValue;
  const given = {
    agentType: agent.name,
    customState,
    tags: parent.tags,
    metadata: parent.metadata,
  };
  const fresh = freshSession(ctx, child.ref, given, now, commitId);
  const content = typeof call.input === 'string' ? call.input : JSON.stringify(call.input);
  const message: UserMessage = { role: 'user', content };
  const { run, claimed } = newRun(ctx, fresh, 'child', now, commitId);
  const session: SessionRow = {
    ...claimed,
    version: 1,
    parentSessionId: parent.sessionId,
    parentStepId: parent.stepId,
    parentIndex: call.index,
    streamId: parent.streamId,
    userId: parent.userId,
    messageCount: 1,
  };
  const first: RunRow = { ...run, previousRunId: null };
  return {
    guard: { sessionId: session.sessionId, absent: true },
    update: [],
    insert: { sessions: [session], runs: [first], messages: messageRows(fresh, [message], now) },
    claimed: session,
  };
}

async function announceStart(
  ctx: EngineContext,
  parent: SessionRow,
  child: ChildView,
): Promise<void> {
  const { reference } = child;
  const now = ctx.clock.now();
  const speaker = speakerOf(parent);
  const toolCallId = reference.parentToolCallId;
  const body = {
    subSessionId: reference.subSessionId,
    subAgentType: reference.agentType,
    toolCallId,
  };
  await ctx.announcer.announce(parent.streamId, [
    entry(speaker, now, 'subagent_start', body, `substart:${toolCallId}`),
  ]);
  if (child.session) return;
  const { agentType, subSessionId } = reference;
  const toolName = `${SUBAGENT_TOOL_PREFIX}${agentType}`;
  const payload = { toolCallId, toolName, subSessionId, subAgentType: agentType };
  await new HookScope(ctx, parent).fire('beforeSubAgent', payload);
}
