import { runSession, type RunOutcome } from '@helix-agents/core/loop';
import { CancellationScope, continueAsNew } from '@temporalio/workflow';
import type { AgentWorkflowInput, AgentWorkflowResult } from '../workflow-contract.ts';
import { failureOf } from './failure-of.ts';
import { operationsOf, type WorkflowOperations } from './workflow-operations.ts';
import { temporalHost } from './temporal-host.ts';

/** Durable time. Given as an argument so that a test can let a day pass. */
export type Sleep = (ms: number) => Promise<void>;

/** One run of a session: the loop of core over activities. It ends at every human boundary; a resume is a new workflow. */
export async function driveWorkflow(
  input: AgentWorkflowInput,
  sleep: Sleep,
): Promise<AgentWorkflowResult> {
  const operations = operationsOf(input.settings);
  const { run } = input;
  obeyCancel(operations, input);
  const outcome = await CancellationScope.nonCancellable(() => driveRun(operations, input, sleep));
  if (outcome.status === 'handover') {
    return continueAsNew<(input: AgentWorkflowInput) => Promise<AgentWorkflowResult>>({
      ...input,
      continued: true,
    });
  }
  return { sessionId: run.sessionId, runId: run.runId, status: outcome.status };
}

/** Cancelling the workflow is a soft stop of its session: the run obeys it like any other interrupt. */
function obeyCancel(operations: WorkflowOperations, { run }: AgentWorkflowInput): void {
  CancellationScope.current().cancelRequested.catch(() =>
    CancellationScope.nonCancellable(() => operations.stopRun(run)),
  );
}

async function driveRun(
  operations: WorkflowOperations,
  input: AgentWorkflowInput,
  sleep: Sleep,
): Promise<RunOutcome> {
  try {
    return await runSession(temporalHost(operations, input, sleep), input.run);
  } catch (error) {
    // All attempts are used up. If not even this can be written the workflow fails, and resume or a sweep takes it over.
    await operations.failRun(input.run, failureOf(error));
    return operations.endRun(input.run);
  }
}
