import type { SessionRow } from '@helix-agents/core';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { workflowId } from './workflow-id.ts';

/** Whether Temporal still has the run of that session. Throws when it cannot be asked. */
export async function isWorkflowAlive(
  client: Client,
  prefix: string,
  session: SessionRow,
): Promise<boolean> {
  try {
    const handle = client.workflow.getHandle(workflowId(prefix, session));
    const { status, memo } = await handle.describe();
    // The id may have been used by a session of the same id that was deleted since.
    return memo?.['runId'] === session.runId && status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
