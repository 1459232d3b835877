import { NotRootSessionError } from '../../errors/request-errors.ts';
import { SessionNotFoundError } from '../../errors/session-errors.ts';
import type { MessageRow, SessionRef, SessionRow } from '../../store/rows.ts';
import type { StepRows } from '../../store/session-store.ts';
import type { StreamInfo } from '../../stream/stream-manager.ts';
import { carriesStream } from '../announce/announce-end.ts';
import type { EngineContext } from '../context.ts';
import { freshSession, type NewSession } from '../rows/fresh-session.ts';
import { isRoot, rootPlace, rootRef } from '../../store/session-place.ts';

/** What a claim finds. */
export interface Claimable {
  readonly session: SessionRow;
  /** The rows of its step, where the claim leaves them as they are and nobody else writes to them. */
  readonly step?: StepRows;
  /** Its stream, where it was read together with the step. */
  readonly stream?: StreamInfo | null;
}

/** A session with its step, as read by a process that may claim it. */
export interface FoundStep extends Claimable {
  readonly step: StepRows;
}

/**
 * Reads a session to claim it. The stream is read together with the step where the end of a run and its chunks are one
 * write; elsewhere an owner may come between the two reads and die before it announces its end. `mayBeNew`: a session that
 * does not exist may still have a stream, after whose last chunk its first run begins.
 */
export async function findStep(
  ctx: EngineContext,
  ref: SessionRef,
  mayBeNew = false,
): Promise<FoundStep | null> {
  const store = ctx.databases.of(ref);
  const isOne = carriesStream(ctx, store);
  const look = isOne || mayBeNew ? ctx.announcer.info(ref.rootId) : undefined;
  const [step, stream] = await Promise.all([store.readStep(ref), look]);
  if (!step) return null;
  const { session } = step;
  return isOne && stream !== undefined ? { session, step, stream } : { session, step };
}

/** A root that does not exist yet. */
export function newRoot(ctx: EngineContext, sessionId: string, given: NewSession): Claimable {
  return newStep(freshSession(ctx, rootPlace(sessionId), given, ctx.clock.now()));
}

/** A session that does not exist yet has a first step without any rows. */
export function newStep(session: SessionRow): Claimable {
  const rows = { journal: [], calls: [], references: [], children: [], inputs: [] };
  return { session, step: { session, interrupt: null, ...rows } };
}

/** The root session a public call names, or a typed refusal. */
export async function readRoot(ctx: EngineContext, sessionId: string): Promise<SessionRow> {
  const ref = rootRef(sessionId);
  const session = await ctx.databases.of(ref).readSession(ref);
  return session && isRoot(session) ? session : refuse(ctx, sessionId, session);
}

/** The same with its step, for a claim. */
export async function readRootStep(ctx: EngineContext, sessionId: string): Promise<FoundStep> {
  const found = await findStep(ctx, rootRef(sessionId));
  return found && isRoot(found.session) ? found : refuse(ctx, sessionId, found?.session ?? null);
}

/** No root has this id: a child does, or no session at all. */
async function refuse(
  ctx: EngineContext,
  sessionId: string,
  child: SessionRow | null,
): Promise<never> {
  const rootId = child ? child.rootId : await ctx.findRoot(sessionId);
  if (rootId === null || rootId === sessionId) throw new SessionNotFoundError(sessionId);
  throw new NotRootSessionError(sessionId, rootId);
}

/**
 * Reads the transcript while the claim is written. Null where operations share no memory, where the model may not be
 * called first, or when the read fails; the run then reads it itself. Messages that the claim inserts may be in it.
 */
export async function readAhead(
  ctx: EngineContext,
  { session, step }: Claimable,
): Promise<readonly MessageRow[] | null> {
  if (!ctx.memory || !step) return null;
  if (session.version === 0) return [];
  if (session.status === 'running' || step.calls.some(({ state }) => state === 'open')) return null;
  return ctx.databases
    .of(session)
    .readMessages(session)
    .catch(() => null);
}
