import { errorMessage, toHelixError } from '../errors/helix-error.ts';
import type { runSession } from '../loop/run-session.ts';
import type { Done, Host, LoopRun, PlanEntry, RunOutcome } from '../loop/host.ts';
import { DONE, sleep } from './clock.ts';
import type { EngineContext, OperationScope } from './context.ts';
import type { Operations } from './operations.ts';
import { forgetRun, leaveStream } from './step/end.ts';
import type { EndedRun } from './memory/step-memory.ts';
import type { RunWatch } from './watch-run.ts';

const OK: Done = { ok: true };
const YES = Promise.resolve(true);
const NO = Promise.resolve(false);

/** What drives runs in this process. Hosts that call operations directly (in process, Durable Object) share this. */
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
  readonly outcome: RunOutcome;
  /** Where its last commit was made here. */
  readonly ended: EndedRun | null;
}

/**
 * Drives one run to its end in this process: the loop over direct calls, children by recursion. `cut` ends it at once, and
 * gives it back where that can be written.
 */
export async function driveRun(
  driver: LocalDriver,
  run: LoopRun,
  cut?: AbortSignal,
): Promise<DrivenRun> {
  const watch = driver.open(run);
  cut?.addEventListener('abort', () => watch.stop('shutdown'), { once: true });
  try {
    const outcome = await toItsEnd(driver, watch, run);
    if (outcome.status === 'stale') await leaveStream(driver.ctx, run);
    return { outcome, ended: driver.ctx.memory?.ended(run) ?? null };
  } finally {
    driver.close(run, watch);
    forgetRun(driver.ctx, run);
  }
}

async function toItsEnd(driver: LocalDriver, watch: RunWatch, run: LoopRun): Promise<RunOutcome> {
  try {
    return await driver.runLoop(hostFor(driver, watch, run), run);
  } catch (error) {
    // Not the store's fault alone if this can still be written; else the lease runs out and another owner goes on.
    await driver.operations.fail(run, toHelixError(error, 'run_failed'));
    return driver.operations.end(run);
  }
}

/** The host of one run: what it does at every step is made once. */
function hostFor(driver: LocalDriver, watch: RunWatch, run: LoopRun): Host {
  const { operations } = driver;
  const { scope } = watch;
  const settle = (attempt: number): ReturnType<Host['settle']> =>
    operations.settle(run, { attempt });
  const think = (attempt: number): ReturnType<Host['think']> =>
    operations.think(run, { ...scope, attempt });
  return {
    begin: () => retrying(driver, scope, () => operations.begin(run)),
    settle: () => retrying(driver, scope, settle),
    think: () => retrying(driver, scope, think),
    dispatch: (_run, calls) => dispatch(driver, scope, run, calls),
    shouldYield: () => (mustYield(driver, watch) ? YES : NO),
    handover: () => retrying(driver, scope, () => operations.handover(run)),
    end: () => retrying(driver, scope, () => operations.end(run)),
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
  let error = first;
  for (let attempt = 1; attempt < driver.attempts; attempt += 1) {
    driver.ctx.logger.warn('operation.retry', { attempt, error: String(error) });
    await sleep(driver.ctx.clock, 50 * 2 ** attempt, scope.signal);
    try {
      return await work(attempt + 1);
    } catch (again) {
      error = again;
    }
  }
  throw error;
}

/** All calls at once; returns when none runs any more, and only then passes on what went wrong. */
function dispatch(
  driver: LocalDriver,
  scope: OperationScope,
  run: LoopRun,
  calls: readonly PlanEntry[],
): Promise<Done> {
  const [only] = calls;
  return only && calls.length === 1
    ? perform(driver, scope, run, only)
    : performAll(driver, scope, run, calls);
}

function perform(
  driver: LocalDriver,
  scope: OperationScope,
  run: LoopRun,
  call: PlanEntry,
): Promise<Done> {
  return call.class === 'subagent'
    ? driveChild(driver, scope, run, call)
    : retrying(driver, scope, () => driver.operations.tool(run, call, scope));
}

async function performAll(
  driver: LocalDriver,
  scope: OperationScope,
  run: LoopRun,
  calls: readonly PlanEntry[],
): Promise<Done> {
  const settled = await Promise.allSettled(calls.map((call) => perform(driver, scope, run, call)));
  const broken = settled.find((one) => one.status === 'rejected');
  if (broken) throw broken.reason;
  const refused = settled.find((one) => one.status === 'fulfilled' && !one.value.ok);
  return refused?.status === 'fulfilled' ? refused.value : OK;
}

async function driveChild(
  driver: LocalDriver,
  scope: OperationScope,
  run: LoopRun,
  call: PlanEntry,
): Promise<Done> {
  const { operations, ctx } = driver;
  for (;;) {
    if (scope.signal.aborted) return OK;
    const started = await startOrReport(driver, scope, run, call);
    if (!started.ok) return started;
    if (started.kind === 'wait') {
      await sleep(ctx.clock, ctx.limits.pollMs, scope.signal);
      continue;
    }
    const collect = (): Promise<Done> =>
      retrying(driver, scope, () => operations.collectChild(run, call.index));
    if (started.kind === 'run') {
      const died = await runChild(driver, scope, run, call, started);
      if (died && !scope.signal.aborted) {
        await collect();
        await giveUpFailed(driver, scope, run, call, 'error', died.cause);
      }
    }
    return collect();
  }
}

/** A child that cannot be started is one tool error; its siblings go on. */
async function startOrReport(
  driver: LocalDriver,
  scope: OperationScope,
  run: LoopRun,
  call: PlanEntry,
): Promise<Awaited<ReturnType<Operations['startChild']>>> {
  const { operations } = driver;
  try {
    return await retrying(driver, scope, () => operations.startChild(run, call.index));
  } catch (error) {
    // A run that was stopped decides about its children when it goes on.
    if (scope.signal.aborted) return { ok: true, kind: 'collect' };
    const given = await giveUpFailed(driver, scope, run, call, 'dispatch_failed', error);
    return given.ok ? { ok: true, kind: 'collect' } : { ok: false, code: 'stale' };
  }
}

function giveUpFailed(
  driver: LocalDriver,
  scope: OperationScope,
  run: LoopRun,
  { index }: PlanEntry,
  reason: 'dispatch_failed' | 'error',
  cause: unknown,
): Promise<Done> {
  const detail = errorMessage(cause);
  return retrying(driver, scope, () => driver.operations.giveUpChild(run, index, reason, detail));
}

/** Says why, if it could not write its own end: its store fails. */
async function runChild(
  driver: LocalDriver,
  scope: OperationScope,
  run: LoopRun,
  call: PlanEntry,
  { run: child, usedMs }: { readonly run: LoopRun; readonly usedMs: number },
): Promise<{ readonly cause: unknown } | null> {
  const { ctx } = driver;
  const cut = new AbortController();
  // A stop of the parent is a stop of the child: its own durable interrupt, stamped with its own run.
  const passOn = (): void => {
    retrying(driver, scope, () =>
      ctx.databases.of(child).requestInterrupt(child, 'parent_stopped', ctx.clock.now()),
    )
      .then(() => driver.notify(child.sessionId))
      .catch((error: unknown) => {
        ctx.logger.warn('subagent.interrupt_failed', { ...child, error: String(error) });
        cut.abort();
      });
  };
  const finished = new AbortController();
  scope.signal.addEventListener('abort', passOn, { once: true });
  const { timeoutMs } = call;
  if (timeoutMs !== null) {
    // Its time was used up before: only an answer that it has not taken in yet lets it off, for another such time.
    const isLate = usedMs >= timeoutMs;
    const giveUp = (): Promise<void> => giveUpLate(driver, scope, run, call.index, child);
    if (isLate) await giveUp();
    const first = isLate ? timeoutMs : timeoutMs - usedMs;
    void giveUpWhenLate(driver, giveUp, child, timeoutMs, first, finished.signal);
  }
  try {
    await driveRun(driver, child, cut.signal);
    return null;
  } catch (cause) {
    return { cause };
  } finally {
    finished.abort(DONE);
    scope.signal.removeEventListener('abort', passOn);
  }
}

/** A person who is asked puts the end off: it is tried again after another such time, until the child's run has ended. */
async function giveUpWhenLate(
  driver: LocalDriver,
  giveUp: () => Promise<void>,
  child: LoopRun,
  timeoutMs: number,
  first: number,
  finished: AbortSignal,
): Promise<void> {
  let wait = first;
  while (await sleep(driver.ctx.clock, wait, finished)) {
    await giveUp();
    driver.notify(child.sessionId);
    wait = timeoutMs;
  }
}

/** Never rejects: a store that fails puts the end off as a person does, and ends neither the child nor its parent. */
async function giveUpLate(
  driver: LocalDriver,
  scope: OperationScope,
  run: LoopRun,
  index: number,
  child: LoopRun,
): Promise<void> {
  try {
    await retrying(driver, scope, () => driver.operations.giveUpChild(run, index, 'timeout'));
  } catch (error) {
    driver.ctx.logger.warn('subagent.timeout_failed', { ...child, error: String(error) });
  }
}
