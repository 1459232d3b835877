import {
  AgentDirectory,
  createEngineContext,
  createOperations,
  HelixError,
  interruptBelow,
  sleep,
  watchRun,
  type EngineContext,
  type ExecutorParts,
  type LLMAdapter,
  type LoopRun,
  type Operations,
  type OperationScope,
  type OperationSeams,
} from '@helix-agents/core';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { duringActivity } from './during-activity.ts';
import { HOST_TRAITS } from './host-traits.ts';
import { fittingCalls } from './payload-limit.ts';
import { releaseGoneChild } from './release-child.ts';
import type { GenericActivities } from './workflow-contract.ts';

export interface AgentActivitiesConfig extends ExecutorParts {
  readonly llmAdapter: LLMAdapter;
  /** Asked about sub-agents whose workflow may be gone; without it they are waited for. */
  readonly client?: Client;
  readonly seams?: ActivitySeams;
}

/** Where a host or a test comes between the parts. Nothing here changes what an agent does. */
export interface ActivitySeams extends OperationSeams {
  /** Agents and per-call hooks that an executor in this process remembers. */
  readonly directory?: AgentDirectory;
}

/** How long one attempt waits for a child that somebody else drives, before the workflow asks again. */
const WAIT_FOR_CHILD_MS = 60_000;
/** While it waits, how many looks at the store there are for one question to Temporal. */
const ASK_TEMPORAL_EVERY = 10;

/** Core's operations as activities: register them with a worker, or let `createAgentWorker` do it. */
export function createAgentActivities(config: AgentActivitiesConfig): GenericActivities {
  const { seams = {} } = config;
  const directory = seams.directory ?? new AgentDirectory(config.agentRegistry);
  const ctx = createEngineContext(config, directory, {
    ...HOST_TRAITS,
    databases: seams.databases,
    isDriving: () => false,
  });
  const plain = createOperations(ctx);
  const operations = seams.wrapOperations?.(plain) ?? plain;
  return {
    beginRun: (run) => duringActivity('begin', [run], () => operations.begin(run)),
    settleStep: (run) =>
      duringActivity('settle', [run], async ({ attempt }) =>
        fittingCalls(await operations.settle(run, { attempt })),
      ),
    think: (run) =>
      watched(ctx, 'think', [run], async (scope) =>
        fittingCalls(await operations.think(run, scope)),
      ),
    runTool: (run, call) =>
      watched(ctx, 'tool', [run, call], (scope) => operations.tool(run, call, scope)),
    startChild: (run, index) =>
      duringActivity('startChild', [run, index], ({ signal }) =>
        startChild(ctx, operations, run, index, signal, config.client),
      ),
    collectChild: (run, index) =>
      duringActivity('collectChild', [run, index], () => operations.collectChild(run, index)),
    giveUpChild: (run, index, reason, detail) =>
      duringActivity('giveUpChild', [run, index, reason, detail], () =>
        operations.giveUpChild(run, index, reason, detail),
      ),
    failRun: (run, failure) =>
      duringActivity('fail', [run, failure], () => operations.fail(run, new HelixError(failure))),
    endRun: (run) =>
      duringActivity('end', [run], async () => {
        const outcome = await operations.end(run);
        directory.forget(run);
        return outcome;
      }),
    stopRun: (run) => duringActivity('stop', [run], () => stopRun(ctx, run)),
  };
}

/** An operation that runs code of the application: it hears of interrupts, lost ownership and shutdowns. */
function watched<T>(
  ctx: EngineContext,
  name: string,
  args: readonly [LoopRun, ...unknown[]],
  work: (scope: OperationScope) => Promise<T>,
): Promise<T> {
  return duringActivity(name, args, async ({ attempt, signal, stopReason }) => {
    const watch = watchRun(ctx, args[0]);
    const stop = (): void => watch.stop(stopReason());
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await work({ ...watch.scope, attempt });
    } finally {
      signal.removeEventListener('abort', stop);
      watch.close();
    }
  });
}

async function startChild(
  ctx: EngineContext,
  operations: Operations,
  run: LoopRun,
  index: number,
  signal: AbortSignal,
  client: Client | undefined,
): ReturnType<Operations['startChild']> {
  const giveUpAt = ctx.clock.now() + WAIT_FOR_CHILD_MS;
  const prefix = prefixOf(run);
  for (let look = 1; ; look += 1) {
    const started = await operations.startChild(run, index);
    if (started.ok && started.kind === 'run') await passStopOn(ctx, run);
    if (!started.ok || started.kind !== 'wait' || ctx.clock.now() > giveUpAt) return started;
    if (client && look % ASK_TEMPORAL_EVERY === 0)
      await releaseGoneChild(ctx, client, prefix, run, index);
    if (!(await sleep(ctx.clock, ctx.limits.pollMs, signal))) return started;
  }
}

/** What the ids of this tree's workflows begin with. */
function prefixOf({ agentType, sessionId }: LoopRun): string {
  const id = Context.current().info.workflowExecution?.workflowId ?? '';
  return id.slice(0, Math.max(0, id.lastIndexOf(`__${agentType}__${sessionId}`)));
}

/** A stop that came while the child was being started did not find it. */
async function passStopOn(ctx: EngineContext, run: LoopRun): Promise<void> {
  const step = await ctx.databases.of(run).readStep(run);
  if (step?.interrupt) await interruptBelow(ctx, run);
}

async function stopRun(ctx: EngineContext, run: LoopRun): Promise<void> {
  const store = ctx.databases.of(run);
  const session = await store.readSession(run);
  if (session?.runId !== run.runId) return;
  await store.requestInterrupt(run, 'workflow_cancelled', ctx.clock.now());
  await interruptBelow(ctx, run);
}
