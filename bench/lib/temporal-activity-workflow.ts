// What the Temporal case compares with: workflows that do nothing of their own.
import { proxyActivities } from '@temporalio/workflow';

export { agentWorkflow } from '@helix-agents/runtime-temporal/workflow';

const { bare } = proxyActivities<{ bare(given: object): Promise<object> }>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '3 seconds',
});

/** That many activities, one after the other, with payloads as small as ours. */
export async function bareWorkflow(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await bare({ index, id: 'x'.repeat(80) });
}

export async function emptyWorkflow(): Promise<void> {}
