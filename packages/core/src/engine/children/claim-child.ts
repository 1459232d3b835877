import type { AgentConfig } from '../../define/types.ts';
import type { CallUpdate, CommitPlan } from '../../store/commit-plan.ts';
import type { PlannedCall, SessionRow } from '../../store/rows.ts';
import type { LoopRun } from '../../loop/host.ts';
import { childClaim } from '../claim/child-claim.ts';
import { hasBegun, loopRun } from '../claim/claim.ts';
import type { EngineContext } from '../context.ts';
import { callKey, callKeyText } from '../../store/call-key.ts';
import type { ChildApart, ReachedChild, StepView } from '../rows/step-view.ts';
import { commitSurely, epochGuard, record } from '../rows/write.ts';

/** Claims the child for the next continuation of its call, with the answers that are here. Null: look again. */
export async function claimChild(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  child: ReachedChild,
  call: PlannedCall,
  agent: AgentConfig,
): Promise<LoopRun | null> {
  const continuation = child.reference.continuation + 1;
  const goesOn = child.session?.status === 'running' && hasBegun(ctx, child.session);
  const commitId = claimId(call, continuation, goesOn);
  const claim = await childClaim(ctx, view, child, call, agent, commitId);
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
  if (child.place === 'here') {
    const plan: CommitPlan = {
      ...base,
      guard: { ...guard, sessions: [epochGuard(run, view.session.stepId), claim.guard] },
      sessions: [{ sessionId: run.sessionId, raise: { records: true } }, ...claim.update],
      update: { references: [reference] },
    };
    return (await commitSurely(store, plan, isClaimed)) ? claimedRun(claimed) : null;
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
  return (await commitSurely(store, plan, isClaimed)) ? claimedRun(claimed) : null;
}

const GOES_ON = '+';

/**
 * Marks the child's row as claimed for this call, and whether its run goes on; without a continuation, the part all of
 * them share.
 */
export function claimId(call: PlannedCall, continuation: number | '', goesOn = false): string {
  return `${call.callId}#${continuation}${goesOn ? GOES_ON : ''}`;
}

/** The run that such a claim made or went on with. */
export function claimedRun(session: SessionRow): LoopRun {
  return loopRun(session, session.lastCommit.endsWith(GOES_ON));
}

/** Answers here for calls that are open in the child's own database. */
export function answersFor(child: ReachedChild): CallUpdate[] {
  switch (child.place) {
    case 'here':
      return [];
    case 'apart':
      return answersDown(child);
  }
}

function answersDown(child: ChildApart): CallUpdate[] {
  const open = new Set(child.callsThere.filter((row) => row.state === 'open').map(callKeyText));
  return child.callsHere
    .filter((row) => row.state === 'answered' && open.has(callKeyText(row)))
    .map((row) => {
      const { outcome, answer, answeredBy, answeredAt } = row;
      const set = { state: 'answered', outcome, answer, answeredBy, answeredAt } as const;
      return { key: callKey(row), set, onlyIf: 'open' };
    });
}

/**
 * Hands answers to a child that somebody drives or that its parent is about to close. Not to one that has suspended meanwhile: nobody would
 * take them in. Whoever looks again claims it with them.
 */
export async function deliver(ctx: EngineContext, child: ReachedChild): Promise<void> {
  const calls = answersFor(child);
  if (calls.length === 0 || !child.session) return;
  const { sessionId, status } = child.session;
  const plan: CommitPlan = {
    rootId: child.ref.rootId,
    commitId: ctx.newId(),
    now: ctx.clock.now(),
    guard: { sessions: [{ sessionId, status: [status] }] },
    sessions: [{ sessionId }],
    update: { calls },
  };
  await ctx.databases.of(child.ref).commit(plan);
}
