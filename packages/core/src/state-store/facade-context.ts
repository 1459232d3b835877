import { commitSurely, versionGuard } from '../engine/rows/write.ts';
import { isSuspended, ownerIsDead } from '../engine/rows/session-status.ts';
import {
  AgentAlreadyRunningError,
  SessionNotFoundError,
  SessionSuspendedError,
  StaleStateError,
} from '../errors/session-errors.ts';
import type { CommitPlan, SessionUpdate } from '../store/commit-plan.ts';
import type { SessionRow } from '../store/rows.ts';
import type { SessionStore } from '../store/session-store.ts';
import { isManual } from './session-state.ts';
import { rootRef } from '../store/session-place.ts';

/** What the functions behind the facade work with. */
export interface FacadeContext {
  readonly sessions: SessionStore;
  now(): number;
  newId(): string;
}

/** A session, or a sub-agent's, by its id alone: a store finds it under its own name. */
export function findSession(ctx: FacadeContext, sessionId: string): Promise<SessionRow | null> {
  return ctx.sessions.readSession(rootRef(sessionId));
}

export async function requireSession(ctx: FacadeContext, sessionId: string): Promise<SessionRow> {
  const session = await findSession(ctx, sessionId);
  if (!session) throw new SessionNotFoundError(sessionId);
  return session;
}

/** An engine's run is in progress. Its rows are its own until it ends or its lease is over. */
export function hasLiveOwner(session: SessionRow, now: number): boolean {
  return session.status === 'running' && !isManual(session) && !ownerIsDead(session, now);
}

/** Throws if a run, or a step that waits for a person, does not allow a change of the transcript or the run. */
export async function requireFree(ctx: FacadeContext, session: SessionRow): Promise<void> {
  if (hasLiveOwner(session, ctx.now())) throw new AgentAlreadyRunningError(session.sessionId);
  if (isSuspended(session) || session.stepMessage !== null) throw await suspended(ctx, session);
}

export async function suspended(
  ctx: FacadeContext,
  session: SessionRow,
): Promise<SessionSuspendedError> {
  const calls = await ctx.sessions.readCalls(session.rootId);
  const open = calls.filter((call) => call.state === 'open').map((call) => call.toolCallId);
  return new SessionSuspendedError(session.sessionId, open);
}

export type PlanParts = Pick<CommitPlan, 'insert' | 'update' | 'remove'> & {
  readonly set?: SessionUpdate['set'];
  /** The step's records are the ones that were read. */
  readonly withRecords?: true;
  /** May be written while a run is in progress: the run reads it again before its next commit. */
  readonly besideOwner?: true;
};

/** One commit on the version that was read; says whether it was applied. */
export async function commitOn(
  ctx: FacadeContext,
  session: SessionRow,
  parts: PlanParts,
): Promise<boolean> {
  const { sessionId, rootId } = session;
  const { set, withRecords, besideOwner, ...rows } = parts;
  const mustBeFree = !besideOwner && session.status === 'running' && !isManual(session);
  const commitId = ctx.newId();
  const now = ctx.now();
  const guard = {
    ...versionGuard(session),
    status: [session.status],
    ...(withRecords && { records: session.records }),
    // By the store's own clock: an owner that came back keeps its session.
    ...(mustBeFree && { leaseExpired: true as const }),
  };
  const plan: CommitPlan = {
    kind: 'edit',
    rootId,
    commitId,
    now,
    guard: { sessions: [guard] },
    sessions: [
      {
        sessionId,
        set: { ...set, lastCommit: commitId, updatedAt: now },
        raise: { version: true },
      },
    ],
    ...rows,
  };
  return commitSurely(ctx.sessions, plan, () => wasApplied(ctx, session, commitId));
}

/** After a lost reply: whether the commit was applied. Only the next version shows it; after later ones it cannot be known. */
async function wasApplied(
  ctx: FacadeContext,
  session: SessionRow,
  commitId: string,
): Promise<boolean> {
  const after = await ctx.sessions.readSession(session);
  if (after?.lastCommit === commitId) return true;
  if (!after || after.version <= session.version + 1) return false;
  const { sessionId } = session;
  const message = `The connection broke while session ${sessionId} was written, and others wrote since; load it and look.`;
  throw new StaleStateError({ sessionId, message });
}

/** Reads, decides and commits; starts again if another write came first. `decide` throws to refuse. */
export async function changeSession<T>(
  ctx: FacadeContext,
  sessionId: string,
  decide: (session: SessionRow) => Promise<{ readonly parts: PlanParts; readonly result: T }>,
): Promise<T> {
  for (;;) {
    const session = await requireSession(ctx, sessionId);
    const { parts, result } = await decide(session);
    if (await commitOn(ctx, session, parts)) return result;
  }
}
