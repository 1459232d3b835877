import { AgentAlreadyRunningError, NotResumableError } from '../../errors/session-errors.ts';
import type { AgentConfig } from '../../define/types.ts';
import type { CommitPlan } from '../../store/commit-plan.ts';
import { canRelax } from '../../store/relaxed-commits.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { LoopRun } from '../../loop/host.ts';
import { announceMissedEnd } from '../announce/announce-end.ts';
import { runBeganEntry } from '../announce/chunk-entries.ts';
import { loopRun, newRun, opening, readAhead, takeOver, type FoundStep } from './claim.ts';
import type { EngineContext } from '../context.ts';
import { firstMove } from '../step/first-move.ts';
import { withAgent } from '../require-agent.ts';
import { isSuspended, isTerminal } from '../rows/step-view.ts';
import { commit } from '../rows/write.ts';

/** Why a session cannot be resumed right now; null when it can. `isDead`: whether its owner is, if it is running. */
export function resumeRefusal(session: SessionRow, isDead: boolean): Error | null {
  if (session.closed) return new NotResumableError(session.sessionId, 'closed');
  if (isTerminal(session)) return new NotResumableError(session.sessionId, session.status);
  if (isSuspended(session) || session.status === 'interrupted' || isDead) return null;
  return new AgentAlreadyRunningError(session.sessionId);
}

/**
 * Claims a suspended, interrupted or dead-owned session. Null when the session moved meanwhile. `given` is the agent that it
 * goes on with, where the caller handed one in.
 */
export async function claimResume(
  ctx: EngineContext,
  rows: FoundStep,
  given?: AgentConfig,
): Promise<LoopRun | null> {
  if (rows.session.status === 'running') return takeOver(ctx, rows.session);
  return claimWaiting(ctx, rows, given);
}

/** The claim, and with it the first move of the run where nothing stands between the two. */
async function claimWaiting(
  ctx: EngineContext,
  { stream, ...rows }: FoundStep,
  given: AgentConfig | undefined,
): Promise<LoopRun | null> {
  const { session } = rows;
  const ahead = readAhead(ctx, rows);
  const head = await announceMissedEnd(ctx, session, stream);
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const { update, run: record, claimed } = newRun(ctx, session, 'resume', now, commitId, head);
  const run = loopRun(claimed);
  const underWay = { ...rows, session: { ...claimed, version: session.version } };
  const move = firstMove(withAgent(ctx, given), run, underWay);
  const { sessionId, version, records, status, rootId } = session;
  const store = ctx.databases.of(session);
  const relaxed = ctx.memory !== null && canRelax(store) && move.attempts.length === 0;
  const plan: CommitPlan = {
    rootId,
    commitId,
    now,
    guard: { ...move.guard, sessions: [{ sessionId, version, records, status: [status] }] },
    sessions: [
      {
        sessionId,
        set: { ...update.set, ...move.session.set },
        raise: { ...update.raise, ...move.session.raise },
      },
    ],
    insert: { ...move.insert, runs: [record] },
    update: move.update,
    remove: move.remove,
    ...opening(ctx, session),
    relaxed,
  };
  const [isApplied, older] = await Promise.all([commit(store, session, plan), ahead]);
  if (!isApplied) return null;
  const entries = [runBeganEntry(claimed, record, now), ...move.entries];
  const opened = plan.stream !== undefined;
  ctx.memory?.claimed(run, move.rows, {
    record,
    opened,
    relaxed,
    entries,
    attempts: move.attempts,
  });
  if (older) ctx.transcripts.begin(run, [...older, ...(move.insert.messages ?? [])]);
  return run;
}
