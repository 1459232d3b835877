import { initialState } from '../../define/initial-state.ts';
import type { AgentConfig } from '../../define/types.ts';
import type { UserMessage } from '../../messages/message.ts';
import type { CommitPlan, SessionGuard } from '../../store/commit-plan.ts';
import type { PlannedCall, RunRow, SessionRow } from '../../store/rows.ts';
import { freshSession, newRun, takeoverFields } from './claim.ts';
import type { EngineContext } from '../context.ts';
import { messageRows } from '../rows/session-rows.ts';
import type { ReachedChild, StepView } from '../rows/step-view.ts';
import { versionGuard } from '../rows/write.ts';
import { placeBelow } from '../../store/session-place.ts';

/** What a claim of a child writes in the child's database. */
export interface ChildClaim {
  readonly guard: SessionGuard;
  readonly update: NonNullable<CommitPlan['sessions']>;
  readonly insert: NonNullable<CommitPlan['insert']>;
  readonly claimed: SessionRow;
}

/** Creates the child, takes its run over from a dead owner, or begins its next run: as its row says. */
export async function childClaim(
  ctx: EngineContext,
  view: StepView,
  child: ReachedChild,
  call: PlannedCall,
  agent: AgentConfig,
  commitId: string,
): Promise<ChildClaim> {
  const now = ctx.clock.now();
  if (!child.session) return creation(ctx, view.session, child, call, agent, commitId, now);
  const { session } = child;
  if (session.status === 'running') {
    const set = takeoverFields(ctx, session, now, commitId);
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
  child: ReachedChild,
  call: PlannedCall,
  agent: AgentConfig,
  commitId: string,
  now: number,
): Promise<ChildClaim> {
  const customState = await initialState(agent);
  const given = {
    agentType: agent.name,
    customState,
    tags: parent.tags,
    metadata: parent.metadata,
  };
  const fresh = freshSession(ctx, placeBelow(parent, child.ref.sessionId), given, now, commitId);
  const content = typeof call.input === 'string' ? call.input : JSON.stringify(call.input);
  const message: UserMessage = { role: 'user', content };
  const { run, claimed } = newRun(ctx, fresh, 'child', now, commitId);
  const session: SessionRow = {
    ...claimed,
    version: 1,
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
