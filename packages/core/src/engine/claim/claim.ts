/**
 * The one claim: a session gets an owner. Execute, resume, retry, takeover, a superseding message, time travel and the
 * start of a child differ in their arguments only.
 *
 * Owns: the write, and what follows every claim in this process (the stream is open, the step and the transcript are
 * cached for the run).
 * Does not own: whether a session may be claimed (the callers decide that from its row), what closes with it (`beside`), driving
 * the run (hosts).
 *
 * I1 A claim names the version it read; of two claims that read the same version one is refused.
 * I2 A claim raises the epoch, so that every write of the owner before it is refused.
 * I3 A takeover keeps the run, any other claim begins one. Both are recognised by their mark when a reply is lost.
 * I4 Nothing in memory or in the stream is changed before the commit is applied, except that the end of the run before
 *    it is announced if its owner did not get to it.
 */
import type { SessionRow } from '../../store/rows.ts';
import type { LoopRun } from '../../loop/host.ts';
import { announceMissedEnd, endedByOther } from '../announce/announce-end.ts';
import type { EngineContext } from '../context.ts';
import { loopRun } from '../rows/loop-run.ts';
import { commitSurely } from '../rows/write.ts';
import { claimPlan, type ClaimRequest, type PlannedClaim } from './claim-plan.ts';
import { readAhead, type Claimable } from './claimable.ts';
import { isRoot } from '../../store/session-place.ts';

/** Claims the session as it was found. Null when it moved meanwhile. */
export async function claim(
  ctx: EngineContext,
  found: Claimable,
  request: ClaimRequest,
): Promise<LoopRun | null> {
  const { session } = found;
  const transcript = readAhead(ctx, found);
  const head = await announceMissedEnd(ctx, session, found.stream);
  const planned = claimPlan(ctx, session, request, head);
  const [claimed, older] = await Promise.all([commitClaim(ctx, planned), transcript]);
  if (!claimed) return null;
  const run = loopRun(claimed, request.trigger === 'takeover' && hasBegun(ctx, session));
  const { plan } = planned;
  const isOpened = plan.stream !== undefined;
  const step = isAtRest(session) && found.step ? { ...found.step, session: claimed } : null;
  ctx.memory?.claimed(run, step, planned.record);
  if (older) ctx.transcripts.begin(run, [...older, ...(plan.insert?.messages ?? [])]);
  if (isRoot(session) && !isOpened)
    await ctx.announcer.open(session.streamId, run, () => endedByOther(ctx, run));
  return run;
}

/** Nobody writes to its step: it does not exist yet, or has no owner. */
function isAtRest({ version, status }: SessionRow): boolean {
  return version === 0 || status !== 'running';
}

/** The row as the claim left it; null when it was refused. Another attempt at the same claim may have been first. */
async function commitClaim(
  ctx: EngineContext,
  { plan, claimed }: PlannedClaim,
): Promise<SessionRow | null> {
  const store = ctx.databases.of(claimed);
  let row = claimed;
  const isApplied = await commitSurely(store, plan, async () => {
    const after = await store.readSession(claimed);
    if (after?.lastCommit !== claimed.lastCommit || after.epoch !== claimed.epoch) return false;
    row = after;
    return true;
  });
  return isApplied ? row : null;
}

/**
 * Whether an owner had begun the run that is found running. With a lease the claim is the start, and a run is without one
 * only when it was given back; an engine's run may have been claimed and never started.
 */
export function hasBegun({ identity }: EngineContext, { leaseUntil }: SessionRow): boolean {
  return leaseUntil !== null || identity.leaseMs !== null;
}
