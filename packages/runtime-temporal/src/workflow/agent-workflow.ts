import { runSession } from '@helix-agents/core/loop';
import { HandlerUnfinishedPolicy } from '@temporalio/common';
import {
  CancellationScope,
  continueAsNew,
  defineSignal,
  log,
  setHandler,
} from '@temporalio/workflow';
import {
  INTERRUPT_SIGNAL_NAME,
  type AgentWorkflowInput,
  type AgentWorkflowResult,
} from '../workflow-contract.ts';
import { temporalHost } from './temporal-host.ts';
import { operationsOf, type Sleep } from './workflow-operations.ts';

/** One run of a session: the loop of core over activities. It ends at every human boundary; a resume is a new workflow. */
export async function driveWorkflow(
  input: AgentWorkflowInput,
  sleep: Sleep,
): Promise<AgentWorkflowResult> {
  const { run, settings } = input;
  const operations = operationsOf(settings, sleep);
  const stop = (...reason: [string?]): Promise<void> =>
    CancellationScope.nonCancellable(() => operations.stop(run, ...reason)).catch((error) =>
      log.warn('temporal.stop_failed', { ...run, error: String(error) }),
    );
  // Cancelling the workflow is a soft stop of its session: the run obeys it like any other interrupt.
  CancellationScope.current().cancelRequested.catch(() => stop());
  // So is a signal, for those who know the workflow and not the session. One that comes at the end has nothing to stop.
  const onSignal = (reason = 'signal'): Promise<void> => stop(reason);
  setHandler(defineSignal<[reason?: string]>(INTERRUPT_SIGNAL_NAME), onSignal, {
    unfinishedPolicy: HandlerUnfinishedPolicy.ABANDON,
  });
  const outcome = await CancellationScope.nonCancellable(() =>
    runSession(temporalHost(operations, input, sleep), run),
  );
  if (outcome.status === 'handover') {
    return continueAsNew<(input: AgentWorkflowInput) => Promise<AgentWorkflowResult>>({
      ...input,
      continued: true,
    });
  }
  return { sessionId: run.sessionId, runId: run.runId, status: outcome.status };
}
