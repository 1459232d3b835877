import type {
  LoopOperations,
  LoopRun,
  PlanEntry,
  SettleResult,
  StartedChild,
  ThinkResult,
  Done,
} from '../loop/host.ts';
import { begin } from '../engine/step/begin.ts';
import { collectChild } from '../engine/children/collect-child.ts';
import type { EngineContext, OperationScope } from '../engine/context.ts';
import { end } from '../engine/step/end.ts';
import { failRun } from '../engine/step/fail.ts';
import { giveUpChild } from '../engine/children/give-up-child.ts';
import { handover } from '../engine/step/handover.ts';
import { stopRun } from '../engine/children/pass-stop-on.ts';
import { RunStopped } from '../engine/race.ts';
import { withRootAgent } from '../engine/require-agent.ts';
import { runTool } from '../engine/step/run-tool.ts';
import { settle } from '../engine/step/settle.ts';
import { startChild } from '../engine/children/start-child.ts';
import { think } from '../engine/step/think.ts';

/**
 * The operations a host maps onto its engine's durable primitive. Each takes ids and small plain data, loads what it
 * needs, and finds its own record when it is repeated.
 */
export interface Operations extends Omit<
  LoopOperations,
  'settle' | 'think' | 'tool' | 'startChild'
> {
  settle(run: LoopRun, scope?: Pick<OperationScope, 'attempt'>): Promise<SettleResult>;
  think(run: LoopRun, scope: OperationScope): Promise<ThinkResult>;
  tool(run: LoopRun, call: PlanEntry, scope: OperationScope): Promise<Done>;
  readonly startChild: (
    run: LoopRun,
    index: number,
    scope?: Pick<OperationScope, 'signal'>,
  ) => Promise<StartedChild>;
  /** Asks the run and what runs below it to stop at their next boundary. */
  stop(run: LoopRun, reason: string): Promise<void>;
}

async function thenFlush<T>(ctx: EngineContext, run: LoopRun, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    await ctx.announcer.flush(run.rootId);
  }
}

const LEFT_ALONE: StartedChild = { ok: true, kind: 'collect' };

/** An operation that was cut by the stop of its run has recorded nothing: whoever goes on repeats it. */
async function unlessStopped<T>(
  ctx: EngineContext,
  run: LoopRun,
  work: Promise<T>,
  otherwise: T,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof RunStopped)) throw error;
    ctx.memory?.invalidate(run);
    return otherwise;
  }
}

/** `wrap`: how a test comes between the operations and their host. */
export function createOperations(
  ctx: EngineContext,
  wrap: (operations: Operations) => Operations = (operations) => operations,
): Operations {
  // Where operations share no memory the next one may run in another process: each says all it has to say first.
  const spoken = <T>(run: LoopRun, work: () => Promise<T>): Promise<T> =>
    ctx.memory ? known(run, work) : thenFlush(ctx, run, known(run, work));
  const known = <T>(run: LoopRun, work: () => Promise<T>): Promise<T> =>
    withRootAgent(ctx, run, work);
  return wrap({
    begin: (run) => spoken(run, () => begin(ctx, run)),
    settle: (run, scope) => spoken(run, () => settle(ctx, run, scope)),
    think: (run, scope) =>
      spoken(run, () => unlessStopped(ctx, run, think(ctx, run, scope), { ok: true, calls: [] })),
    tool: (run, call, scope) =>
      spoken(run, () => unlessStopped(ctx, run, runTool(ctx, run, call, scope), { ok: true })),
    startChild: (run, index, scope) =>
      known(run, () =>
        unlessStopped(ctx, run, startChild(ctx, run, index, scope?.signal), LEFT_ALONE),
      ),
    collectChild: (run, index) => known(run, () => collectChild(ctx, run, index)),
    giveUpChild: (run, index, reason, detail) =>
      known(run, () => giveUpChild(ctx, run, index, reason, detail)),
    fail: (run, failure) => known(run, () => failRun(ctx, run, failure)),
    handover: (run) => handover(ctx, run),
    end: (run) => known(run, () => end(ctx, run)),
    stop: (run, reason) => stopRun(ctx, run, reason),
  });
}
