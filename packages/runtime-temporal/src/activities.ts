import type { LLMAdapter } from '@helix-agents/core';
import {
  AgentDirectory,
  createEngineContext,
  createEngineOperations,
  type EngineSeams,
  type ExecutorParts,
  type LoopRun,
} from '@helix-agents/core/host';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { asActivity } from './as-activity.ts';
import { HOST_TRAITS } from './defaults.ts';
import type { GenericActivities as Activities } from './workflow-contract.ts';
import { workflowState } from './workflow-state.ts';

export interface AgentActivitiesConfig extends ExecutorParts {
  readonly llmAdapter: LLMAdapter;
  /** Asked about sub-agents whose workflow may be gone; without it they are waited for. */
  readonly client?: Client;
  readonly seams?: EngineSeams;
}

/** Core's operations as activities: register them with a worker, or let `createAgentWorker` do it. */
export function createAgentActivities(config: AgentActivitiesConfig): GenericActivities {
  const { seams = {}, client } = config;
  const directory = seams.directory ?? new AgentDirectory(config.agentRegistry);
  const ctx = createEngineContext(config, directory, {
    ...HOST_TRAITS,
    databases: seams.databases,
    isDriving: () => false,
  });
  const operations = createEngineOperations(ctx, {
    wrapOperations: seams.wrapOperations,
    isAlive: async (child, parent) =>
      !client || (await workflowState(client, prefixOf(parent), child)) === 'running',
  });
  return {
    beginRun: asActivity(operations.begin),
    settleStep: asActivity(operations.settle),
    think: asActivity(operations.think),
    runTool: asActivity(operations.tool),
    startChild: asActivity(operations.startChild),
    collectChild: asActivity(operations.collectChild),
    giveUpChild: asActivity(operations.giveUpChild),
    failRun: asActivity(operations.fail),
    endRun: asActivity(operations.end),
    stopRun: asActivity((scope, run, reason = 'workflow_cancelled') =>
      operations.stop(scope, run, reason),
    ),
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
