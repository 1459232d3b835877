/**
 * The state machine of one child of a wave, from the start of its call to what its parent can settle with.
 *
 *   start ─ run ──► drive ─ ended ────► collect
 *     │  ▲            ├─── died ─────► collect, give up (error), collect
 *     │  │            └─── elsewhere ► pause, start again
 *     │  └─ wait: pause
 *     ├─ collect ───────────────────► collect
 *     └─ throws ────────────────────► give up (dispatch_failed), collect
 *   beside drive, for a call with `timeoutMs`: late ► give up (timeout), late again after another `timeoutMs`
 *
 * Owns: the order of these operations, the timer of a late child, and whether a failure is the child's or its parent's.
 * Does not own: what an operation decides or writes (the engine), where a child's run takes place, how long a pause
 * is and how often an operation is tried (the host).
 *
 * I1. A child that cannot be started is one error of its call; its siblings and its parent go on.
 * I2. A child's run that died is collected before it is given up: an end it had written counts.
 * I3. The time of earlier runs of the child counts. If none is left, the child is given up before it is driven.
 * I4. A give-up for lateness may be refused, by a person who is asked or a store that fails: it is tried again after
 *     every further `timeoutMs`, until the child's run has come to its end. It never ends the parent's run.
 * I5. `stale` from an operation ends the machine. A child that is being driven is waited for first.
 */
import type { ChildEnd, Done, Host, LoopRun, PlanEntry, StartedChild } from './host.ts';

/** Brings the child of a call as far as it goes without a person, and collects it. */
export async function driveChild(host: Host, run: LoopRun, call: PlanEntry): Promise<Done> {
  for (;;) {
    const started = await startOrGiveUp(host, run, call);
    if (!started.ok) return started;
    if (started.kind === 'collect') return host.collectChild(run, call.index);
    if (started.kind === 'run') {
      const end = await runAgainstTime(host, run, call, started);
      if (end.kind === 'died') return giveUpDead(host, run, call, end.detail);
      if (end.kind === 'ended') return host.collectChild(run, call.index);
    }
    await host.pause(run);
  }
}

async function startOrGiveUp(host: Host, run: LoopRun, call: PlanEntry): Promise<StartedChild> {
  try {
    return await host.startChild(run, call.index);
  } catch (error) {
    const { message } = host.describe(error);
    const given = await host.giveUpChild(run, call.index, 'dispatch_failed', message);
    return given.ok ? { ok: true, kind: 'collect' } : given;
  }
}

async function giveUpDead(
  host: Host,
  run: LoopRun,
  { index }: PlanEntry,
  detail: string,
): Promise<Done> {
  const collected = await host.collectChild(run, index);
  if (!collected.ok) return collected;
  const given = await host.giveUpChild(run, index, 'error', detail);
  return given.ok ? host.collectChild(run, index) : given;
}

type Runnable = Extract<StartedChild, { readonly kind: 'run' }>;

async function runAgainstTime(
  host: Host,
  run: LoopRun,
  call: PlanEntry,
  { run: child, usedMs }: Runnable,
): Promise<ChildEnd> {
  const { index, timeoutMs } = call;
  if (timeoutMs === null) return host.runChild(run, index, child);
  const giveUp = (): Promise<boolean> => giveUpLate(host, run, index, child);
  const isLate = usedMs >= timeoutMs;
  if (isLate) await giveUp();
  const stop = repeatWhenLate(host, isLate ? timeoutMs : timeoutMs - usedMs, timeoutMs, giveUp);
  try {
    return await host.runChild(run, index, child);
  } finally {
    stop();
  }
}

/** Gives up after `firstMs`, and again after every further `timeoutMs`, until it is refused as stale or stopped. */
function repeatWhenLate(
  host: Host,
  firstMs: number,
  timeoutMs: number,
  giveUp: () => Promise<boolean>,
): () => void {
  let isOver = false;
  let timer = host.startTimer(firstMs);
  const repeat = async (): Promise<void> => {
    while ((await timer.fired) && !isOver && (await giveUp()) && !isOver)
      timer = host.startTimer(timeoutMs);
  };
  void repeat();
  return () => {
    isOver = true;
    timer.cancel();
  };
}

/** False when another owner has the parent. Never rejects. */
async function giveUpLate(
  host: Host,
  run: LoopRun,
  index: number,
  child: LoopRun,
): Promise<boolean> {
  try {
    const given = await host.giveUpChild(run, index, 'timeout');
    return given.ok;
  } catch (error) {
    host.warn('subagent.timeout_failed', child, host.describe(error).message);
    return true;
  }
}
