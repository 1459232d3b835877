import { callKey } from '../store/call-key.ts';
import { isSuspended } from '../engine/rows/session-status.ts';
import { NotRootSessionError } from '../errors/request-errors.ts';
import { AgentAlreadyRunningError, SessionNotFoundError } from '../errors/session-errors.ts';
import type { SessionRow, StoredError } from '../store/rows.ts';
import type { StepRows } from '../store/session-store.ts';
import {
  commitOn,
  hasLiveOwner,
  requireSession,
  suspended,
  type FacadeContext,
  type PlanParts,
} from './facade-context.ts';
import { MANUAL_HOST, publicStatus, type SessionStatus } from './session-state.ts';
import { isRoot } from '../store/session-place.ts';
import { codedError, RUN_FAILED } from '../errors/coded-error.ts';

/** `paused` is a session that waits for a person; to the world it is `active` too. A session made `paused` is interrupted. */
export type ExpectedStatus = SessionStatus | 'paused';

export interface SetStatusOptions {
  /** Why it failed or was paused. */
  readonly error?: string | StoredError;
}

export interface CompareAndSetOptions extends SetStatusOptions {
  readonly expectedVersion?: number;
}

export type CompareAndSetResult =
  | { readonly ok: true; readonly newVersion: number }
  | {
      readonly ok: false;
      readonly currentStatus: SessionStatus;
      readonly currentVersion: number;
      /**
       * `mismatch`: status or version is another one. `owned`: a run is in progress; interrupt or abort it.
       * `unsettled`: a step is half done; resume or abort it.
       */
      readonly reason: 'mismatch' | 'owned' | 'unsettled';
    };

/**
 * Moves the public status of a root session, one winner per version. It never ends a step that has begun: that is what
 * resume, interrupt and abort are for. A session made `active` belongs to the code that made it so, not to an engine.
 */
export async function compareAndSetStatus(
  ctx: FacadeContext,
  sessionId: string,
  expected: readonly ExpectedStatus[],
  given: ExpectedStatus,
  options: CompareAndSetOptions,
): Promise<CompareAndSetResult> {
  const next = given === 'paused' ? 'interrupted' : given;
  for (;;) {
    const rows = await readOwnStep(ctx, sessionId);
    const { session } = rows;
    const refuse = (reason: 'mismatch' | 'owned' | 'unsettled'): CompareAndSetResult => ({
      ok: false,
      currentStatus: publicStatus(session.status),
      currentVersion: session.version,
      reason,
    });
    if ((options.expectedVersion ?? session.version) !== session.version) return refuse('mismatch');
    if (!matches(session, expected)) return refuse('mismatch');
    const parts = moveTo(ctx, rows, next, options);
    if (typeof parts === 'string') return refuse(parts);
    if (await commitOn(ctx, session, parts)) return { ok: true, newVersion: session.version + 1 };
  }
}

/** The write that gives a session this status, or why it may not be moved. */
export function moveTo(
  ctx: FacadeContext,
  rows: StepRows,
  next: SessionStatus,
  options: SetStatusOptions,
): PlanParts | 'owned' | 'unsettled' {
  const { session } = rows;
  if (hasLiveOwner(session, ctx.now())) return 'owned';
  const stopsWaiting = isSuspended(session) && next === 'interrupted';
  if (isUnsettled(rows) && !stopsWaiting) return 'unsettled';
  return stopsWaiting ? stopWaiting(rows, options, ctx.now()) : move(session, next, options, ctx);
}

export async function whyNotMoved(
  ctx: FacadeContext,
  sessionId: string,
  reason: 'owned' | 'unsettled',
): Promise<Error> {
  if (reason === 'owned') return new AgentAlreadyRunningError(sessionId);
  return suspended(ctx, await requireSession(ctx, sessionId));
}

/** The same whatever the status was; a session that may not be moved is a typed error. */
export async function updateStatus(
  ctx: FacadeContext,
  sessionId: string,
  next: ExpectedStatus,
  options: SetStatusOptions,
): Promise<{ readonly newVersion: number }> {
  const any: readonly SessionStatus[] = ['active', 'interrupted', 'completed', 'failed'];
  for (;;) {
    const result = await compareAndSetStatus(ctx, sessionId, any, next, options);
    if (result.ok) return { newVersion: result.newVersion };
    if (result.reason !== 'mismatch') throw await whyNotMoved(ctx, sessionId, result.reason);
  }
}

/** The step of a root. */
export async function readOwnStep(ctx: FacadeContext, sessionId: string): Promise<StepRows> {
  const session = await requireSession(ctx, sessionId);
  if (!isRoot(session)) throw new NotRootSessionError(sessionId, session.rootId);
  const rows = await ctx.sessions.readStep(session);
  if (!rows) throw new SessionNotFoundError(sessionId);
  return rows;
}

function matches(session: SessionRow, expected: readonly ExpectedStatus[]): boolean {
  const status = publicStatus(session.status);
  return expected.some((one) => (one === 'paused' ? isSuspended(session) : one === status));
}

/** Something of the step would be left over by a change of the status alone. */
function isUnsettled({ session, journal, calls, references }: StepRows): boolean {
  return (
    isSuspended(session) ||
    journal.some((row) => row.kind === 'plan') ||
    calls.length > 0 ||
    references.some((row) => row.state !== 'closed')
  );
}

function stopWaiting({ calls }: StepRows, options: SetStatusOptions, now: number): PlanParts {
  return {
    set: { status: 'interrupted', ...pauseError(options) },
    update: {
      calls: calls
        .filter((row) => row.state === 'open')
        .map((row) => ({
          key: callKey(row),
          set: {
            state: 'answered',
            outcome: 'cancelled',
            answer: { kind: 'none' },
            answeredAt: now,
          },
          // A row that was answered in between keeps its answer.
          onlyIf: 'open',
        })),
    },
  };
}

function move(
  session: SessionRow,
  next: SessionStatus,
  options: SetStatusOptions,
  ctx: FacadeContext,
): PlanParts {
  const { error } = options;
  const fields = {
    // The previous owner finds its epoch gone.
    epoch: session.epoch + 1,
    hostKind: MANUAL_HOST,
    leaseOwner: null,
    leaseUntil: null,
    started: true,
  };
  if (next === 'active') {
    const reopened =
      session.status === 'running' ? {} : { error: null, failureReason: null, output: null };
    return { set: { ...fields, ...reopened, status: 'running' }, withRecords: true };
  }
  const { sessionId, runId, stepCount } = session;
  const failure = next === 'failed' ? { error: storedError(error), failureReason: null } : {};
  const success = next === 'completed' ? { error: null, failureReason: null } : {};
  const ended = { status: next, completedAt: ctx.now(), stepCount } as const;
  return {
    set: {
      ...fields,
      ...failure,
      ...success,
      ...(next === 'interrupted' && pauseError(options)),
      status: next,
    },
    update: session.status === 'running' ? { runs: [{ runId, set: ended }] } : {},
    remove: { interrupts: [{ sessionId, runId }] },
    withRecords: true,
  };
}

function pauseError({ error }: SetStatusOptions): { readonly error?: StoredError } {
  return error === undefined ? {} : { error: storedError(error) };
}

function storedError(error: string | StoredError = RUN_FAILED): StoredError {
  return typeof error === 'string' ? codedError('run_failed', error) : error;
}
