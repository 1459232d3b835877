import { NotRootSessionError } from '../../errors/request-errors.ts';
import { AgentAlreadyRunningError, SessionNotFoundError } from '../../errors/session-errors.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { UserMessage } from '../../messages/message.ts';
import type { CommitPlan, SessionUpdate } from '../../store/commit-plan.ts';
import type { MessageRow, RunRow, RunTrigger, SessionRef, SessionRow } from '../../store/rows.ts';
import type { StepRows } from '../../store/session-store.ts';
import type { StreamInfo } from '../../stream/stream-manager.ts';
import { LOOP_VERSION, type LoopRun } from '../../loop/host.ts';
import { announceMissedEnd, carriedOpening, saysItself } from '../announce/announce-end.ts';
import type { EngineContext } from '../context.ts';
import { replaceFields } from '../rows/merge-state.ts';
import { messageRows } from '../rows/session-rows.ts';
import { commit, versionGuard } from '../rows/write.ts';
import { isRoot, rootPlace, rootRef, type SessionPlace } from '../../store/session-place.ts';

/** What a session begins with. */
export interface NewSession {
  readonly agentType: string;
  readonly customState: JsonValue;
  readonly userId?: string;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
}

/** The fields every claim writes: who owns the session from now on. */
export function ownership(ctx: EngineContext, now: number): Partial<SessionRow> {
  const { hostKind, owner, leaseMs } = ctx.identity;
  const lease =
    leaseMs === null
      ? { leaseOwner: null, leaseUntil: null, started: false }
      : { leaseOwner: owner, leaseUntil: now + leaseMs, started: true };
  return { status: 'running', hostKind, updatedAt: now, ...lease };
}

/** `goesOn`: somebody else had begun it. */
export function loopRun(session: SessionRow, goesOn = false): LoopRun {
  return {
    rootId: session.rootId,
    sessionId: session.sessionId,
    runId: session.runId,
    epoch: session.epoch,
    agentType: session.agentType,
    loopVersion: LOOP_VERSION,
    ...(goesOn ? { goesOn } : {}),
  };
}

/** A claim that begins a new run: the session update and the run record, to be put into a plan. */
export function newRun(
  ctx: EngineContext,
  session: SessionRow,
  trigger: RunTrigger,
  now: number,
  commitId: string,
  startSequence: number = ctx.announcer.head(session.streamId),
): { update: SessionUpdate; run: RunRow; claimed: SessionRow } {
  const runId = ctx.newId();
  const newTurn = trigger === 'execute';
  const set: Partial<SessionRow> = {
    ...ownership(ctx, now),
    epoch: session.epoch + 1,
    runId,
    turn: session.turn + 1,
    recoveries: 0,
    error: null,
    failureReason: null,
    output: null,
    lastCommit: commitId,
    resumeCount: session.resumeCount + (trigger === 'resume' ? 1 : 0),
    ...(newTurn ? { stepCount: 0 } : {}),
  };
  const run: RunRow = {
    runId,
    sessionId: session.sessionId,
    turn: session.turn + 1,
    status: 'running',
    trigger,
    stepCount: 0,
    previousRunId: session.runId === '' ? null : session.runId,
    fromCheckpointId: null,
    startSequence,
    startedAt: now,
    completedAt: null,
  };
  const claimed: SessionRow = { ...session, ...set, version: session.version + 1 };
  return { update: { sessionId: session.sessionId, set, raise: { version: true } }, run, claimed };
}

/** A claim opens the stream of its root where it can; where it cannot, whoever claimed does so next. */
export function opening(ctx: EngineContext, session: SessionRow): Pick<CommitPlan, 'stream'> {
  return saysItself(ctx, ctx.databases.of(session)) ? { stream: carriedOpening(session) } : {};
}

/** What going on with a dead owner's run writes: same run, new epoch, one more recovery. */
export function takeoverFields(
  ctx: EngineContext,
  session: SessionRow,
  now: number,
  commitId: string,
): Partial<SessionRow> {
  return {
    ...ownership(ctx, now),
    epoch: session.epoch + 1,
    // A run that was given back on purpose did not die.
    recoveries: session.recoveries + (session.leaseUntil === null ? 0 : 1),
    lastCommit: commitId,
  };
}

/**
 * Whether somebody has begun the run that is found running. Where the claim is the start (a lease), a run is not started
 * only when it was given back; elsewhere its claim may have been left behind before anybody began it.
 */
export function hasBegun({ identity }: EngineContext, { leaseUntil }: SessionRow): boolean {
  return leaseUntil !== null || identity.leaseMs !== null;
}

/** Takes a dead owner's run over. Null when the session moved meanwhile; throws when the owner is not dead. */
export async function takeOver(ctx: EngineContext, session: SessionRow): Promise<LoopRun | null> {
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const set = takeoverFields(ctx, session, now, commitId);
  const plan: CommitPlan = {
    rootId: session.rootId,
    commitId,
    now,
    guard: { sessions: [{ ...versionGuard(session), status: ['running'], leaseExpired: true }] },
    sessions: [{ sessionId: session.sessionId, set, raise: { version: true } }],
  };
  const store = ctx.databases.of(session);
  if (await commit(store, session, plan)) {
    return loopRun({ ...session, ...set }, hasBegun(ctx, session));
  }
  const after = await store.readSession(session);
  // Nothing moved, so by the store's clock its owner is alive, whatever the clock here says.
  if (after?.version === session.version) throw new AgentAlreadyRunningError(session.sessionId);
  return null;
}

/** The first claim of a session that does not exist. Null when somebody else created it meanwhile. The caller has looked at the stream. */
export async function createSession(
  ctx: EngineContext,
  sessionId: string,
  given: NewSession,
  messages: readonly UserMessage[],
): Promise<LoopRun | null> {
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const row = freshSession(ctx, rootPlace(sessionId), given, now, commitId);
  const { run, claimed } = newRun(ctx, row, 'execute', now, commitId);
  const session: SessionRow = { ...claimed, version: 1, messageCount: messages.length };
  const inserted = messageRows(row, messages, now);
  const record = { ...run, previousRunId: null };
  const plan: CommitPlan = {
    rootId: sessionId,
    commitId,
    now,
    guard: { sessions: [{ sessionId, absent: true }] },
    insert: {
      sessions: [session],
      messages: inserted,
      runs: [record],
    },
    ...opening(ctx, session),
  };
  if (!(await commit(ctx.databases.of(row), row, plan))) return null;
  const owned = loopRun(session);
  const opened = plan.stream !== undefined;
  ctx.memory?.claimed(owned, { ...NOTHING_YET, session }, { record, opened });
  if (ctx.memory) ctx.transcripts.begin(owned, inserted);
  return owned;
}

const NOTHING_YET: Omit<StepRows, 'session'> = {
  interrupt: null,
  journal: [],
  calls: [],
  references: [],
  children: [],
};

/** A session row before its first claim. */
export function freshSession(
  ctx: { readonly identity: Pick<EngineContext['identity'], 'hostKind'> },
  place: SessionPlace,
  given: NewSession,
  now: number,
  commitId: string,
): SessionRow {
  return {
    ...place,
    parentStepId: null,
    parentIndex: null,
    agentType: given.agentType,
    streamId: place.rootId,
    version: 0,
    epoch: 0,
    records: 0,
    status: 'running',
    runId: '',
    turn: 0,
    started: false,
    hostKind: ctx.identity.hostKind,
    leaseOwner: null,
    leaseUntil: null,
    recoveries: 0,
    stepId: 1,
    stepCount: 0,
    stepMessage: null,
    messageCount: 0,
    customState: given.customState,
    output: null,
    error: null,
    failureReason: null,
    closed: false,
    lastCommit: commitId,
    resumeCount: 0,
    userId: given.userId ?? null,
    tags: given.tags ?? [],
    metadata: given.metadata ?? {},
    createdAt: now,
    updatedAt: now,
  };
}

/** A new run of a session that has none. Null when the session moved meanwhile. */
export async function claimRun(
  ctx: EngineContext,
  { stream, ...rows }: FoundStep,
  trigger: RunTrigger,
  messages: readonly UserMessage[] = [],
  state?: JsonObject,
): Promise<LoopRun | null> {
  const { session } = rows;
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const ahead = readAhead(ctx, rows);
  const head = await announceMissedEnd(ctx, session, stream);
  const { update, run, claimed } = newRun(ctx, session, trigger, now, commitId, head);
  const inserted = messageRows(session, messages, now);
  const added: Partial<SessionRow> = {
    messageCount: session.messageCount + messages.length,
    ...(state ? { customState: replaceFields(session.customState, state) } : {}),
  };
  const plan: CommitPlan = {
    rootId: session.rootId,
    commitId,
    now,
    guard: { sessions: [{ ...versionGuard(session), status: [session.status] }] },
    sessions: [{ ...update, set: { ...update.set, ...added } }],
    insert: { runs: [run], messages: inserted },
    ...opening(ctx, session),
  };
  const [isApplied, older] = await Promise.all([
    commit(ctx.databases.of(session), session, plan),
    ahead,
  ]);
  if (!isApplied) return null;
  const owned = loopRun(claimed);
  const opened = plan.stream !== undefined;
  const after = { ...rows, session: { ...claimed, ...added } };
  // While it was running, records of its owner may have come in since.
  if (session.status !== 'running') ctx.memory?.claimed(owned, after, { record: run, opened });
  if (older) ctx.transcripts.begin(owned, [...older, ...inserted]);
  return owned;
}

/**
 * The transcript, while other things are asked for or written: null when it is not sure that the model will be asked, or
 * when it could not be read. Messages that a commit adds meanwhile may be in it.
 */
export async function readAhead(
  ctx: EngineContext,
  { session, calls }: StepRows,
): Promise<readonly MessageRow[] | null> {
  const waits = session.status === 'running' || calls.some(({ state }) => state === 'open');
  if (!ctx.memory || waits) return null;
  return ctx.databases
    .of(session)
    .readMessages(session)
    .catch(() => null);
}

/** A session with its step, as somebody found it who may claim it. */
export interface FoundStep extends StepRows {
  /** Its stream, looked at with it. */
  readonly stream?: StreamInfo | null;
}

/**
 * The stream is looked at together with the step where a run's end and what the stream says of it are one write: elsewhere
 * its owner may come between the two and die before it says what it wrote. `mayBeNew`: a session that is not there may still
 * have a stream, and its first run goes on from where that is.
 */
export async function findStep(
  ctx: EngineContext,
  ref: SessionRef,
  mayBeNew = false,
): Promise<FoundStep | null> {
  const store = ctx.databases.of(ref);
  const isOne = saysItself(ctx, store);
  if (!isOne && !mayBeNew) return store.readStep(ref);
  const [rows, stream] = await Promise.all([store.readStep(ref), ctx.announcer.info(ref.rootId)]);
  return rows && isOne ? { ...rows, stream } : rows;
}

/** The root session a public call names, or a typed refusal. */
export async function readRoot(ctx: EngineContext, sessionId: string): Promise<SessionRow> {
  const ref = rootRef(sessionId);
  return requireRoot(ctx, sessionId, await ctx.databases.of(ref).readSession(ref));
}

/** The same with its step, for a claim. */
export async function readRootStep(ctx: EngineContext, sessionId: string): Promise<FoundStep> {
  const rows = await findStep(ctx, rootRef(sessionId));
  await requireRoot(ctx, sessionId, rows?.session ?? null);
  return rows as FoundStep;
}

async function requireRoot(
  ctx: EngineContext,
  sessionId: string,
  session: SessionRow | null,
): Promise<SessionRow> {
  if (session && isRoot(session)) return session;
  const rootId = session?.rootId ?? (await ctx.findRoot(sessionId));
  if (rootId === null || rootId === sessionId) throw new SessionNotFoundError(sessionId);
  throw new NotRootSessionError(sessionId, rootId);
}
