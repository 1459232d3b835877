import type { SessionRow } from '@helix-agents/core';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { workflowId } from './workflow-id.ts';

/** What Temporal has of that run. Throws when it cannot be asked. */
export async function workflowState(
  client: Client,
  prefix: string,
  run: Pick<SessionRow, 'agentType' | 'sessionId' | 'epoch' | 'runId'>,
): Promise<'running' | 'over' | 'none'> {
  try {
    const { status, memo } = await client.workflow.getHandle(workflowId(prefix, run)).describe();
    // The id may have been used by a session of the same id that was deleted since.
    if (memo?.['runId'] !== run.runId) return 'none';
    return status.name === 'RUNNING' ? 'running' : 'over';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'none';
    throw error;
  }
}
