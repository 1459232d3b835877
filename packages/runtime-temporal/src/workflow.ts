// What Temporal's worker bundles: the loop of core and nothing that touches node, a store or a model.
import { sleep } from '@temporalio/workflow';
import { driveWorkflow } from './workflow/agent-workflow.ts';
import type { AgentWorkflowInput, AgentWorkflowResult } from './workflow-contract.ts';

export { INTERRUPT_SIGNAL_NAME } from './workflow-contract.ts';
export type { AgentWorkflowInput, AgentWorkflowResult } from './workflow-contract.ts';

/** One run of a session. Started by `TemporalAgentExecutor`; ends when the run does, or when a person is needed. */
export async function agentWorkflow(input: AgentWorkflowInput): Promise<AgentWorkflowResult> {
  return driveWorkflow(input, (ms) => sleep(ms));
}
export { sweepWorkflow } from './workflow/sweep-workflow.ts';
