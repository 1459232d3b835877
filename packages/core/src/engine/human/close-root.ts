import { NotRootSessionError } from '../../errors/request-errors.ts';
import { SessionNotFoundError } from '../../errors/session-errors.ts';
import type { SessionRow } from '../../store/rows.ts';
import { rootPlace, rootRef } from '../../store/session-place.ts';
import type { EngineContext } from '../context.ts';
import { freshSession } from '../rows/fresh-session.ts';
import { isTerminal } from '../rows/session-status.ts';
import { commit, versionGuard } from '../rows/write.ts';
import { abortError, endTree, type AbortResult } from './abort.ts';

export interface CloseRequest {
  readonly reason: string | null;
  /** Whose session it has to be; a tombstone becomes theirs. */
  readonly userId?: string | undefined;
}

/**
 * Aborts a root for good: it gets no further turn, whatever it is now. Under an id that nobody has used it leaves a
 * tombstone, so that a start that is still under way creates nothing.
 */
export async function closeRoot(
  ctx: EngineContext,
  sessionId: string,
  { reason, userId }: CloseRequest,
): Promise<AbortResult> {
  const ref = rootRef(sessionId);
  const error = abortError(reason);
  for (;;) {
    const session = await ctx.databases.of(ref).readSession(ref);
    if (!session) {
      await assertUnused(ctx, sessionId);
      if (await bury(ctx, sessionId, { reason, userId })) return { status: 'aborted' };
      continue;
    }
    if (userId !== undefined && session.userId !== userId)
      throw new SessionNotFoundError(sessionId);
    if (session.closed) return { status: 'too_late' };
    if (isTerminal(session)) {
      if (await closeEnded(ctx, session)) return { status: 'too_late' };
      continue;
    }
    const end = { reason: 'aborted', error, isMeant: () => true, closed: true } as const;
    if (await endTree(ctx, session, end)) return { status: 'aborted' };
  }
}

async function assertUnused(ctx: EngineContext, sessionId: string): Promise<void> {
  const rootId = await ctx.findRoot(sessionId);
  if (rootId !== null && rootId !== sessionId) throw new NotRootSessionError(sessionId, rootId);
}

/** What a tombstone has for an agent: nobody knows which one would have been started. */
const NO_AGENT = 'none';

/** False: somebody created the session meanwhile. */
async function bury(
  ctx: EngineContext,
  sessionId: string,
  { reason, userId }: CloseRequest,
): Promise<boolean> {
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const place = rootPlace(sessionId);
  const owner = userId === undefined ? {} : { userId };
  const row: SessionRow = {
    ...freshSession(ctx, place, { agentType: NO_AGENT, customState: {}, ...owner }, now),
    status: 'failed',
    closed: true,
    version: 1,
    epoch: 1,
    error: abortError(reason),
    failureReason: 'aborted',
    lastCommit: commitId,
  };
  return commit(ctx.databases.of(place), place, {
    kind: 'create',
    rootId: sessionId,
    commitId,
    now,
    guard: { sessions: [{ sessionId, absent: true }] },
    insert: { sessions: [row] },
  });
}

/** False: it moved meanwhile. */
async function closeEnded(ctx: EngineContext, session: SessionRow): Promise<boolean> {
  const commitId = ctx.newId();
  const { rootId, sessionId, records } = session;
  return commit(ctx.databases.of(session), session, {
    kind: 'abandon',
    rootId,
    commitId,
    now: ctx.clock.now(),
    guard: { sessions: [{ ...versionGuard(session), records }] },
    sessions: [
      { sessionId, set: { closed: true, lastCommit: commitId }, raise: { version: true } },
    ],
  });
}
