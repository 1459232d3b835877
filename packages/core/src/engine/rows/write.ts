import type { LoopRun } from '../../loop/host.ts';
import type {
  CommitGuard,
  CommitInserts,
  CommitPlan,
  CommitUpdates,
  SessionGuard,
} from '../../store/commit-plan.ts';
import type { RunStatus, SessionRef, SessionRow } from '../../store/rows.ts';
import type { SessionStore } from '../../store/session-store.ts';
import type { EngineContext, OperationScope } from '../context.ts';

const ATTEMPTS = 3;
const RUNNING: readonly RunStatus[] = ['running'];

/**
 * Applies a plan whose reply may get lost: after an error `applied` looks whether it is there; if not, the same plan is
 * sent again. Sending it twice is safe because its guards or keys refuse the second one.
 */
export async function commitSurely(
  store: SessionStore,
  plan: CommitPlan,
  applied: () => Promise<boolean>,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (await store.commit(plan)) return true;
      // A second try that misses may miss because the first one was applied.
      return attempt > 1 && (await applied());
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      if (await applied()) return true;
    }
  }
}

/** A commit of the owner. The cache is invalidated first: the commit may be refused, or its reply lost. */
export function commitAsOwner(
  ctx: EngineContext,
  run: LoopRun,
  store: SessionStore,
  plan: CommitPlan,
): Promise<boolean> {
  ctx.memory?.invalidate(run);
  return commit(store, run, plan);
}

/** Whether an attempt at the same operation was made before; what it did is not known. */
export function isRepeat(
  ctx: EngineContext,
  run: LoopRun,
  { attempt = 1 }: Pick<OperationScope, 'attempt'>,
): boolean {
  if (attempt > 1) ctx.memory?.invalidate(run);
  return attempt > 1;
}

/** A commit that stamps its id on the session row: after a lost reply it is recognised by it. */
export function commit(store: SessionStore, ref: SessionRef, plan: CommitPlan): Promise<boolean> {
  return commitSurely(store, plan, async () => {
    const session = await store.readSession(ref);
    return session?.lastCommit === plan.commitId;
  });
}

export function epochGuard(run: LoopRun, stepId: number): SessionGuard {
  return { sessionId: run.sessionId, epoch: run.epoch, stepId, status: RUNNING };
}

/** VER EPOCH RECS GO: nobody wrote to this step since it was read, and nobody asked the run to stop. */
export function settleGuard(
  run: LoopRun,
  session: SessionRow,
): Pick<CommitGuard, 'sessions' | 'interruptsAbsent'> {
  const { sessionId, runId } = run;
  const { stepId, version, records } = session;
  return {
    sessions: [{ sessionId, epoch: run.epoch, stepId, status: RUNNING, version, records }],
    interruptsAbsent: [{ sessionId, runId }],
  };
}

export function versionGuard(session: SessionRow): SessionGuard {
  return { sessionId: session.sessionId, version: session.version };
}

export interface RecordParts {
  readonly insert: CommitInserts;
  readonly update?: CommitUpdates;
  readonly guard?: Omit<CommitGuard, 'sessions'>;
}

/**
 * A record: names epoch and step, inserts once, raises `records`. False when the epoch or step moved on, or when its key
 * is taken: the caller reads again and finds out which.
 */
export async function record(
  ctx: EngineContext,
  run: LoopRun,
  stepId: number,
  parts: RecordParts,
  applied: () => Promise<boolean>,
): Promise<boolean> {
  const plan: CommitPlan = {
    kind: 'record',
    rootId: run.rootId,
    commitId: ctx.newId(),
    now: ctx.clock.now(),
    guard: { ...parts.guard, sessions: [epochGuard(run, stepId)] },
    sessions: [{ sessionId: run.sessionId, raise: { records: true } }],
    insert: parts.insert,
    ...(parts.update ? { update: parts.update } : {}),
  };
  let isApplied = false;
  try {
    isApplied = await commitSurely(ctx.databases.of(run), plan, applied);
    return isApplied;
  } finally {
    if (!isApplied) ctx.memory?.invalidate(run);
  }
}
