/**
 * The operations of a host whose engine performs each of them in whatever process, and keeps their arguments and results in
 * a history.
 *
 * Owns: what such an operation needs besides its work: a watch of its run, payloads that fit, a wait for a child elsewhere.
 * Does not own: retries, signs of life, and how a failure is kept (the runtime).
 */
import type { EngineContext, OperationScope } from '../engine/context.ts';
import { assertSmall, fittingCalls } from '../engine/loop-payload.ts';
import type { LoopOperations, LoopRun } from '../loop/host.ts';
import type { SessionRow } from '../store/rows.ts';
import { startOrAwaitChild } from './engine-liveness.ts';
import { createOperations, type Operations } from './operations.ts';
import { watchOperation, type OuterScope } from './watch-run.ts';

type PlainOperations = LoopOperations & Pick<Operations, 'stop'>;

/** Each takes the scope of the attempt at it, then what the loop gave it. */
export type EngineOperations = {
  readonly [Name in keyof PlainOperations]: (
    outer: OuterScope,
    ...args: Parameters<PlainOperations[Name]>
  ) => ReturnType<PlainOperations[Name]>;
};

export interface EngineOperationsOptions {
  readonly wrapOperations?: ((operations: Operations) => Operations) | undefined;
  /** Whether the engine still has the current run of that child of `parent`. */
  isAlive(child: SessionRow, parent: LoopRun): Promise<boolean>;
}

/** Core's operations, ready to be registered with an engine under names of the runtime's choice. */
export function createEngineOperations(
  ctx: EngineContext,
  options: EngineOperationsOptions,
): EngineOperations {
  const operations = createOperations(ctx, options.wrapOperations);
  /** Runs code of the application: it hears of interrupts, lost ownership and shutdowns. */
  const watched = <T>(
    outer: OuterScope,
    run: LoopRun,
    work: (scope: OperationScope) => Promise<T>,
  ): Promise<T> => watchOperation(ctx, run, outer, work);
  return {
    begin: small('begin', (_outer, run) => operations.begin(run)),
    settle: small('settle', async ({ attempt }, run) =>
      fittingCalls(await operations.settle(run, { attempt })),
    ),
    think: small('think', (outer, run) =>
      watched(outer, run, async (scope) => fittingCalls(await operations.think(run, scope))),
    ),
    tool: small('tool', (outer, run, call) =>
      watched(outer, run, (scope) => operations.tool(run, call, scope)),
    ),
    startChild: small('startChild', ({ signal }, run, index) => {
      const isAlive = (child: SessionRow): Promise<boolean> => options.isAlive(child, run);
      return startOrAwaitChild(ctx, operations.startChild, { run, index }, isAlive, signal);
    }),
    collectChild: small('collectChild', (_outer, ...args) => operations.collectChild(...args)),
    giveUpChild: small('giveUpChild', (_outer, ...args) => operations.giveUpChild(...args)),
    fail: small('fail', (_outer, ...args) => operations.fail(...args)),
    handover: small('handover', (_outer, run) => operations.handover(run)),
    end: small('end', async (_outer, run) => {
      const ended = await operations.end(run);
      ctx.agents.forget(run);
      return ended;
    }),
    stop: small('stop', (_outer, ...args) => operations.stop(...args)),
  };
}

/** Ids, enums and counters only: text, input, output and state stay in the store. */
function small<Name extends keyof EngineOperations>(
  name: Name,
  work: EngineOperations[Name],
): EngineOperations[Name];
function small(
  name: string,
  work: (outer: OuterScope, ...args: readonly unknown[]) => Promise<unknown>,
): (outer: OuterScope, ...args: readonly unknown[]) => Promise<unknown> {
  return async (outer, ...args) => {
    assertSmall(`the input of ${name}`, args);
    const result = await work(outer, ...args);
    assertSmall(`the result of ${name}`, result ?? null);
    return result;
  };
}
