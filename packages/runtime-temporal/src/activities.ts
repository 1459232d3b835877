import {
  AgentDirectory,
  createEngineContext,
  createOperations,
  startOrAwaitChild,
  watchRun,
  type EngineContext,
  type ExecutorParts,
  type IsRunAlive,
  type LLMAdapter,
  type LoopRun,
  type OperationScope,
  type OperationSeams,
} from '@helix-agents/core';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { duringActivity } from './during-activity.ts';
import { HOST_TRAITS } from './host-traits.ts';
import { fittingCalls } from './payload-limit.ts';
import type { GenericActivities } from './workflow-contract.ts';
import { isWorkflowAlive } from './workflow-liveness.ts';

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
  const { client } = config;
  /** Whether a child in the tree of that run is alive. */
  const aliveIn = (run: LoopRun): IsRunAlive => {
    const prefix = prefixOf(run);
    return async (child) => !client || isWorkflowAlive(client, prefix, child);
  };
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
        startOrAwaitChild(ctx, operations.startChild, { run, index }, aliveIn(run), signal),
      ),
    collectChild: (run, index) =>
      duringActivity('collectChild', [run, index], () => operations.collectChild(run, index)),
    giveUpChild: (run, index, reason, detail) =>
      duringActivity('giveUpChild', [run, index, reason, detail], () =>
        operations.giveUpChild(run, index, reason, detail),
      ),
    failRun: (run, failure) =>
      duringActivity('fail', [run, failure], () => operations.fail(run, failure)),
    endRun: (run) =>
      duringActivity('end', [run], async () => {
        const outcome = await operations.end(run);
        directory.forget(run);
        return outcome;
      }),
    stopRun: (run) =>
      duringActivity('stop', [run], () => operations.stop(run, 'workflow_cancelled')),
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

/** What the ids of this tree's workflows begin with. */
function prefixOf({ agentType, sessionId }: LoopRun): string {
  const id = Context.current().info.workflowExecution?.workflowId ?? '';
  return id.slice(0, Math.max(0, id.lastIndexOf(`__${agentType}__${sessionId}`)));
}
