/**
 * The host of runs that take place in this process: operations are direct calls, children are driven by recursion. Hosts
 * that call operations directly (in process, Durable Object) share this.
 *
 * Owns: how often an operation is tried, the watch of a run, how a stop of a run reaches the children it drives here.
 * Does not own: what happens in which order (the loop), what is written (the operations).
 *
 * I1. A run that was stopped starts no child and gives none up: it decides about its children when it goes on.
 * I2. If the stop of a parent cannot be written to a child, the child's run in this process is ended at once.
 * I3. While the store does not work, an operation is tried for as long as a lease lasts. If the run's own store does not work then
 *     either, the run ends without a further write, and a process that finds its lease expired takes it over.
 */
import { errorMessage, toHelixError } from '../errors/helix-error.ts';
import { isStoreOutage } from '../errors/store-outage.ts';
import type { runSession } from '../loop/run-session.ts';
import type {
  ChildEnd,
  Host,
  LoopOutcome,
  LoopRun,
  LoopTimer,
  StartedChild,
} from '../loop/host.ts';
import { stopChild } from '../engine/children/pass-stop-on.ts';
import { DONE, sleep, type Clock } from '../engine/clock.ts';
import type { EngineContext, OperationScope } from '../engine/context.ts';
import type { Operations } from './operations.ts';
import { forgetRun, leaveStream } from '../engine/step/end.ts';
import type { EndedRun } from '../engine/memory/step-memory.ts';
import type { RunWatch } from './watch-run.ts';

const YES = Promise.resolve(true);
const NO = Promise.resolve(false);

/** What drives runs in this process. */
export interface LocalDriver {
  readonly ctx: EngineContext;
  readonly operations: Operations;
  readonly runLoop: typeof runSession;
  /** Opens the watch of a run and keeps it for `notify`; closed when the run ends. */
  open(run: LoopRun): RunWatch;
  close(run: LoopRun, watch: RunWatch): void;
  /** Makes the run of that session look at the store now, if it is driven here. */
  notify(sessionId: string): void;
  shouldYield(): boolean;
  /** Attempts at an operation that throws before the run is given up. */
  readonly attempts: number;
}

export interface DrivenRun {
  readonly outcome: LoopOutcome;
  /** Where its last commit was made here. */
  readonly ended: EndedRun | null;
}

/** Drives one run to its end. `cut` ends it at once, and gives it back where that can be written. */
export async function driveRun(
  driver: LocalDriver,
  run: LoopRun,
  cut?: AbortSignal,
): Promise<DrivenRun> {
  const watch = driver.open(run);
  cut?.addEventListener('abort', () => watch.stop('shutdown'), { once: true });
  try {
    const outcome = await driver.runLoop(hostFor(driver, watch, run), run);
    if (outcome.status === 'stale') await leaveStream(driver.ctx, run);
    return { outcome, ended: driver.ctx.memory?.ended(run) ?? null };
  } finally {
    driver.close(run, watch);
    forgetRun(driver.ctx, run);
  }
}

/** The host of one run: what it does at every step is made once. */
function hostFor(driver: LocalDriver, watch: RunWatch, run: LoopRun): Host {
  const { operations, ctx } = driver;
  const { scope } = watch;
  const { signal } = scope;
  let lost: unknown;
  /** I3 */
  const trying = <T>(work: (attempt: number) => Promise<T>): Promise<T> => {
    if (lost !== undefined) return Promise.reject(lost as Error);
    return retrying(driver, scope, work).catch(async (error: unknown) => {
      if (isStoreOutage(error) && !(await answers(ctx, run))) lost = error;
      throw error;
    });
  };
  const settle = (attempt: number): ReturnType<Host['settle']> =>
    operations.settle(run, { attempt });
  const think = (attempt: number): ReturnType<Host['think']> =>
    operations.think(run, { ...scope, attempt });
  /** Sessions of the children that are driven now, by call index. */
  const driven = new Map<number, string>();
  return {
    begin: () => trying(() => operations.begin(run)),
    settle: () => trying(settle),
    think: () => trying(think),
    tool: (_run, call) => trying(() => operations.tool(run, call, scope)),
    startChild: (_run, index) =>
      unlessStopped(signal, () => trying(() => operations.startChild(run, index, scope))),
    collectChild: (_run, index) => trying(() => operations.collectChild(run, index)),
    async giveUpChild(_run, index, reason, detail) {
      const given = await trying(() => operations.giveUpChild(run, index, reason, detail));
      const child = driven.get(index);
      if (child !== undefined) driver.notify(child);
      return given;
    },
    fail: (_run, failure) => operations.fail(run, failure),
    handover: () => trying(() => operations.handover(run)),
    end: () => trying(() => operations.end(run)),
    async runChild(_run, index, child) {
      driven.set(index, child.sessionId);
      const end = await runChild(driver, scope, child);
      driven.delete(index);
      return end;
    },
    async pause() {
      await sleep(ctx.clock, ctx.limits.pollMs, signal);
    },
    startTimer: (ms) => startTimer(ctx.clock, ms),
    shouldYield: () => (mustYield(driver, watch) ? YES : NO),
    describe(error) {
      const { code, message } = toHelixError(error, 'run_failed');
      return { code, message };
    },
    warn: (event, about, error) => ctx.logger.warn(event, { ...about, error }),
  };
}

function mustYield(driver: LocalDriver, watch: RunWatch): boolean {
  const reason = watch.stopReason();
  return reason === 'shutdown' || (driver.shouldYield() && reason !== 'interrupted');
}

/** Repeats an operation that threw: each finds its own record, so repeating is safe. */
function retrying<T>(
  driver: LocalDriver,
  scope: OperationScope,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  return work(1).catch((error: unknown) => repeat(driver, scope, work, error));
}

async function repeat<T>(
  driver: LocalDriver,
  scope: OperationScope,
  work: (attempt: number) => Promise<T>,
  first: unknown,
): Promise<T> {
  const { clock, identity, logger } = driver.ctx;
  const giveUpAt = clock.now() + (identity.leaseMs ?? OUTAGE_MS);
  let error = first;
  const goesOn = (attempt: number): boolean =>
    attempt < driver.attempts ||
    (isStoreOutage(error) && !scope.signal.aborted && clock.now() < giveUpAt);
  for (let attempt = 1; goesOn(attempt); attempt += 1) {
    logger.warn('operation.retry', { attempt, error: String(error) });
    await sleep(clock, Math.min(LONGEST_PAUSE_MS, 50 * 2 ** attempt), scope.signal);
    try {
      return await work(attempt + 1);
    } catch (again) {
      error = again;
    }
  }
  throw error;
}

/** How long an operation is tried where there are no leases. */
const OUTAGE_MS = 60_000;
const LONGEST_PAUSE_MS = 1_000;

/** Whether the store of this run works. */
async function answers(ctx: EngineContext, run: LoopRun): Promise<boolean> {
  try {
    await ctx.databases.of(run).readSession(run);
    return true;
  } catch {
    return false;
  }
}

const LEFT_ALONE: StartedChild = { ok: true, kind: 'collect' };

/** I1 */
async function unlessStopped(
  signal: AbortSignal,
  start: () => Promise<StartedChild>,
): Promise<StartedChild> {
  if (signal.aborted) return LEFT_ALONE;
  try {
    return await start();
  } catch (error) {
    if (signal.aborted) return LEFT_ALONE;
    throw error;
  }
}

async function runChild(
  driver: LocalDriver,
  scope: OperationScope,
  child: LoopRun,
): Promise<ChildEnd> {
  const { ctx } = driver;
  const { signal } = scope;
  const cut = new AbortController();
  const passOn = (): void => {
    retrying(driver, scope, () => stopChild(ctx, child))
      .then(() => driver.notify(child.sessionId))
      .catch((error: unknown) => {
        ctx.logger.warn('subagent.interrupt_failed', { ...child, error: String(error) });
        cut.abort();
      });
  };
  signal.addEventListener('abort', passOn, { once: true });
  if (signal.aborted) passOn();
  try {
    await driveRun(driver, child, cut.signal);
    return { kind: 'ended' };
  } catch (error) {
    if (signal.aborted) return { kind: 'ended' };
    // Its lease runs out like that of any owner that died.
    if (isStoreOutage(error)) return { kind: 'elsewhere' };
    return { kind: 'died', detail: errorMessage(error) };
  } finally {
    signal.removeEventListener('abort', passOn);
  }
}

function startTimer(clock: Clock, ms: number): LoopTimer {
  const cancelled = new AbortController();
  return {
    fired: sleep(clock, ms, cancelled.signal),
    cancel: () => cancelled.abort(DONE),
  };
}
