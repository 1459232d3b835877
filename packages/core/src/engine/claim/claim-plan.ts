import type { JsonObject } from '../../json.ts';
import type { UserMessage } from '../../messages/message.ts';
import type { CommitPlan, SessionGuard } from '../../store/commit-plan.ts';
import type { MessageRow, RunRow, RunTrigger, SessionRow } from '../../store/rows.ts';
import { carriedOpening, carriesStream } from '../announce/announce-end.ts';
import type { EngineContext } from '../context.ts';
import { replaceFields } from '../rows/merge-state.ts';
import { messageRows } from '../rows/session-rows.ts';
import { versionGuard } from '../rows/write.ts';
import {
  hasTrace,
  withTrace,
  withTraceLink,
  type TraceContext,
} from '../../trace/trace-context.ts';
import { isRoot } from '../../store/session-place.ts';

/** What a claim is for. */
export interface ClaimRequest {
  /** Why a new run begins. `takeover`: the run of a dead owner goes on instead. */
  readonly trigger: RunTrigger | 'takeover';
  /** Appended to the transcript. */
  readonly messages?: readonly UserMessage[] | undefined;
  /** Replaces these fields of the custom state. */
  readonly state?: JsonObject | undefined;
  /** What the turn, or the request that resumes it, is part of. */
  readonly trace?: TraceContext | undefined;
  /** Recorded in the new run. */
  readonly fromCheckpointId?: string;
  /** Stored in the row as its last commit, for claims that several attempts may make. Default: the id of the commit. */
  readonly mark?: string;
  /** What else is written with the claim: a closed step, what happens at the parent of a child. */
  readonly beside?: Pick<CommitPlan, 'guard' | 'sessions' | 'insert' | 'update' | 'remove'>;
}

/** A claim, ready to be committed. */
export interface PlannedClaim {
  readonly plan: CommitPlan;
  /** The session as the commit leaves it. */
  readonly claimed: SessionRow;
  /** The run that begins; null on a takeover. */
  readonly record: RunRow | null;
}

const NOTHING: NonNullable<ClaimRequest['beside']> = { guard: {} };

/**
 * Builds the commit of every claim. `session` is the row as read; a row of version 0 is inserted. `head` is the sequence number of
 * the last chunk in its stream.
 */
export function claimPlan(
  ctx: EngineContext,
  session: SessionRow,
  request: ClaimRequest,
  head: number,
): PlannedClaim {
  // A session and its first run begin at one moment.
  const now = session.version === 0 ? session.createdAt : ctx.clock.now();
  const commitId = ctx.newId();
  const { beside = NOTHING, trigger } = request;
  const record = trigger === 'takeover' ? null : newRun(ctx, session, request, now, head);
  const closed = beside.sessions?.find(({ sessionId }) => sessionId === session.sessionId)?.set;
  const before: SessionRow = { ...session, ...closed };
  const set: Partial<SessionRow> = {
    ...closed,
    ...ownership(ctx, now),
    ...(record ? newRunFields(session, record) : takeoverFields(session)),
    ...turnFields(before, request),
    lastCommit: request.mark ?? commitId,
  };
  const claimed: SessionRow = { ...session, ...set, version: session.version + 1 };
  const plan: CommitPlan = {
    ...beside,
    kind: 'claim',
    rootId: session.rootId,
    commitId,
    now,
    guard: {
      ...beside.guard,
      sessions: inPlace(beside.guard.sessions, ownGuard(session, trigger)),
    },
    ...sessionWrites(session, claimed, set, beside),
    ...opening(ctx, session),
  };
  const messages = messageRows(before, request.messages ?? [], now);
  return { plan: withRows(plan, messages, record), claimed, record };
}

/** A new session is inserted, an old one updated. */
function sessionWrites(
  { version, sessionId }: SessionRow,
  claimed: SessionRow,
  set: Partial<SessionRow>,
  { sessions = [], insert }: NonNullable<ClaimRequest['beside']>,
): Pick<CommitPlan, 'sessions' | 'insert'> {
  if (version === 0) return { sessions, insert: { ...insert, sessions: [claimed] } };
  return { sessions: inPlace(sessions, { sessionId, set, raise: { version: true } }) };
}

/** With the messages of the turn after those of a closed step, and the record of the run. */
function withRows(
  plan: CommitPlan,
  messages: readonly MessageRow[],
  record: RunRow | null,
): CommitPlan {
  const insert = {
    ...plan.insert,
    messages: [...(plan.insert?.messages ?? []), ...messages],
    runs: record ? [record] : [],
  };
  return { ...plan, insert };
}

/** What the caller adds to the session. */
function turnFields(
  { messageCount, customState, metadata }: SessionRow,
  { messages = [], state, trigger, trace }: ClaimRequest,
): Partial<SessionRow> {
  return {
    messageCount: messageCount + messages.length,
    ...(state ? { customState: replaceFields(customState, state) } : {}),
    ...traceFields(metadata, trigger, trace),
  };
}

/** The trace context of a turn is that of its own `execute`. A child was made with its own. */
function traceFields(
  metadata: JsonObject,
  trigger: ClaimRequest['trigger'],
  trace: TraceContext | undefined,
): Partial<SessionRow> {
  if (trace?.traceparent === undefined && !hasTrace(metadata)) return {};
  switch (trigger) {
    case 'child':
    case 'takeover':
      return {};
    case 'execute':
      return { metadata: withTrace(metadata, trace) };
    case 'resume':
    case 'retry':
      return { metadata: withTraceLink(metadata, trace?.traceparent) };
  }
}

/** VER, for which absent is a version; a takeover needs a dead owner as well. */
function ownGuard(session: SessionRow, trigger: ClaimRequest['trigger']): SessionGuard {
  const { sessionId, version, status } = session;
  if (version === 0) return { sessionId, absent: true };
  const dead = trigger === 'takeover' ? { leaseExpired: true as const } : {};
  return { ...versionGuard(session), status: [status], ...dead };
}

/** What the claim says of its session, on top of what is there for it. Sessions stay in order, parents first: stores lock them so. */
function inPlace<T extends { readonly sessionId: string }>(
  all: readonly T[] = [],
  own: T,
): readonly T[] {
  const isOwn = ({ sessionId }: T): boolean => sessionId === own.sessionId;
  return all.some(isOwn)
    ? all.map((one) => (isOwn(one) ? { ...one, ...own } : one))
    : [...all, own];
}

/** Who owns the session from now on. */
function ownership(ctx: EngineContext, now: number): Partial<SessionRow> {
  const { hostKind, owner, leaseMs } = ctx.identity;
  const lease =
    leaseMs === null
      ? { leaseOwner: null, leaseUntil: null, started: false }
      : { leaseOwner: owner, leaseUntil: now + leaseMs, started: true };
  return { status: 'running', hostKind, updatedAt: now, ...lease };
}

function newRunFields(session: SessionRow, { runId, turn, trigger }: RunRow): Partial<SessionRow> {
  return {
    epoch: session.epoch + 1,
    runId,
    turn,
    recoveries: 0,
    error: null,
    failureReason: null,
    output: null,
    resumeCount: session.resumeCount + (trigger === 'resume' ? 1 : 0),
    ...(trigger === 'execute' ? { stepCount: 0 } : {}),
  };
}

/** Same run, new epoch. A run that was given back on purpose did not die. */
function takeoverFields(session: SessionRow): Partial<SessionRow> {
  const deaths = session.leaseUntil === null ? 0 : 1;
  return { epoch: session.epoch + 1, recoveries: session.recoveries + deaths };
}

function newRun(
  ctx: EngineContext,
  session: SessionRow,
  { trigger, fromCheckpointId }: ClaimRequest,
  now: number,
  head: number,
): RunRow {
  return {
    runId: ctx.newId(),
    sessionId: session.sessionId,
    turn: session.turn + 1,
    status: 'running',
    trigger: trigger as RunTrigger,
    stepCount: 0,
    previousRunId: session.runId === '' ? null : session.runId,
    fromCheckpointId: fromCheckpointId ?? null,
    startSequence: head,
    startedAt: now,
    completedAt: null,
  };
}

/** The stream of a root is opened by the claim itself where a commit can write to it. */
function opening(ctx: EngineContext, session: SessionRow): Pick<CommitPlan, 'stream'> {
  const carries = isRoot(session) && carriesStream(ctx, ctx.databases.of(session));
  return carries ? { stream: carriedOpening(session) } : {};
}
