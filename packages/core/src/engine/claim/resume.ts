import { AgentAlreadyRunningError, NotResumableError } from '../../errors/session-errors.ts';
import type { LoopRun } from '../../loop/host.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { EngineContext } from '../context.ts';
import { isSuspended, isTerminal } from '../rows/session-status.ts';
import { claim } from './claim.ts';
import type { FoundStep } from './claimable.ts';

/** Why a session cannot be resumed right now; null when it can. `isDead`: whether its owner is, if it is running. */
export function resumeRefusal(session: SessionRow, isDead: boolean): Error | null {
  if (session.closed) return closedForGood(session);
  if (isTerminal(session)) return new NotResumableError(session.sessionId, howItEnded(session));
  if (isSuspended(session) || session.status === 'interrupted' || isDead) return null;
  return new AgentAlreadyRunningError(session.sessionId, session.runId);
}

/** It was aborted for good. */
export function closedForGood({ sessionId }: SessionRow): NotResumableError {
  const message = `Session ${sessionId} was closed for good and gets no further turn; start another one.`;
  return new NotResumableError(sessionId, 'closed', message);
}

/** In a word for people. */
export function howItEnded({ status, failureReason }: SessionRow): string {
  return status === 'failed' && failureReason === 'aborted' ? 'aborted' : status;
}

/** Claims a suspended, interrupted or dead-owned session. Null when it moved meanwhile. */
export function claimResume(
  ctx: EngineContext,
  found: FoundStep,
  traceparent?: string,
): Promise<LoopRun | null> {
  return found.session.status === 'running'
    ? takeOver(ctx, found.session)
    : claim(ctx, found, { trigger: 'resume', trace: { ...(traceparent && { traceparent }) } });
}

/** Takes a dead owner's run over. Null when the session moved meanwhile; throws when its owner is alive. */
export async function takeOver(ctx: EngineContext, session: SessionRow): Promise<LoopRun | null> {
  const run = await claim(ctx, { session }, { trigger: 'takeover' });
  if (run) return run;
  const after = await ctx.databases.of(session).readSession(session);
  // Nothing moved, so by the clock of the store its lease has not expired, whatever the clock here says.
  if (after?.version === session.version)
    throw new AgentAlreadyRunningError(session.sessionId, session.runId);
  return null;
}
