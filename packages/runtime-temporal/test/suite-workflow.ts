// The workflow of the suite: as the one of the package, but its time is the clock of the scenario, which skips hours.
import { proxyActivities } from '@temporalio/workflow';
import { driveWorkflow } from '../src/workflow/agent-workflow.ts';
import type { AgentWorkflowInput, AgentWorkflowResult } from '../src/workflow.ts';

const { sleepByClock } = proxyActivities<{ sleepByClock(ms: number): Promise<void> }>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '2 minutes',
});

export async function agentWorkflow(input: AgentWorkflowInput): Promise<AgentWorkflowResult> {
  return driveWorkflow(input, (ms) => sleepByClock(ms));
}
