import type { LLMAdapter } from '@helix-agents/core';
import {
  AgentDirectory,
  createEngineContext,
  createOperations,
  fittingCalls,
  startOrAwaitChild,
  watchOperation,
  type ExecutorParts,
  type IsRunAlive,
  type LoopRun,
  type OperationScope,
  type OperationSeams,
} from '@helix-agents/core/host';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { HOST_TRAITS } from './defaults.ts';
import { duringActivity } from './during-activity.ts';
import type { GenericActivities as Activities } from './workflow-contract.ts';
import { workflowState } from './workflow-state.ts';

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
    return async (child) => !client || (await workflowState(client, prefix, child)) === 'running';
  };
  /** Runs code of the application: it hears of interrupts, lost ownership and shutdowns. */
  const watched = <T>(
    args: readonly [LoopRun, ...unknown[]],
    work: (scope: OperationScope) => Promise<T>,
  ): Promise<T> => duringActivity(args, (outer) => watchOperation(ctx, args[0], outer, work));
  return {
    beginRun: (run) => duringActivity([run], () => operations.begin(run)),
    settleStep: (run) =>
      duringActivity([run], async (scope) => fittingCalls(await operations.settle(run, scope))),
    think: (run) =>
      watched([run], async (scope) => fittingCalls(await operations.think(run, scope))),
    runTool: (run, call) => watched([run, call], (scope) => operations.tool(run, call, scope)),
    startChild: (run, index) =>
      duringActivity([run, index], ({ signal }) =>
        startOrAwaitChild(ctx, operations.startChild, { run, index }, aliveIn(run), signal),
      ),
    collectChild: (...args) => duringActivity(args, () => operations.collectChild(...args)),
    giveUpChild: (...args) => duringActivity(args, () => operations.giveUpChild(...args)),
    failRun: (...args) => duringActivity(args, () => operations.fail(...args)),
    endRun: (run) =>
      duringActivity([run], async () => {
        const outcome = await operations.end(run);
        directory.forget(run);
        return outcome;
      }),
    stopRun: (run, reason = 'workflow_cancelled') =>
      duringActivity([run], () => operations.stop(run, reason)),
  };
}

/** The operations of core as activities. */
export type GenericActivities = Activities;
/** `new GenericActivities(config)` is `createAgentActivities(config)`. */
export const GenericActivities: new (config: AgentActivitiesConfig) => Activities =
  createAgentActivities as never;

/** What the ids of this tree's workflows begin with. */
function prefixOf({ agentType, sessionId }: LoopRun): string {
  const id = Context.current().info.workflowExecution?.workflowId ?? '';
  return id.slice(0, Math.max(0, id.lastIndexOf(`__${agentType}__${sessionId}`)));
}
