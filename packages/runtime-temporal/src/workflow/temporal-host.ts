import type { Done, Host, LoopRun, PlanEntry } from '@helix-agents/core/loop';
import { workflowInfo } from '@temporalio/workflow';
import type { AgentWorkflowInput } from '../workflow-contract.ts';
import type { Sleep } from './agent-workflow.ts';
import { driveChild } from './drive-child.ts';
import type { WorkflowOperations } from './workflow-operations.ts';

const OK: Done = { ok: true };

/** The loop's operations as activities, its sub-agents as child workflows. */
export function temporalHost(
  operations: WorkflowOperations,
  input: AgentWorkflowInput,
  sleep: Sleep,
): Host {
  return {
    begin: (run) => (input.continued ? Promise.resolve(OK) : operations.beginRun(run)),
    settle: (run) => operations.settleStep(run),
    think: (run) => operations.think(run),
    dispatch: (run, calls) => dispatch(operations, input, sleep, run, calls),
    shouldYield: () => Promise.resolve(isHistoryLong(input)),
    // The workflow goes on in a history of its own under the same id: the owner, and with it the epoch, stays.
    handover: () => Promise.resolve(OK),
    end: (run) => operations.endRun(run),
  };
}

function isHistoryLong({ settings }: AgentWorkflowInput): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > settings.maxHistoryEvents;
}

/** All calls at once; returns when none runs any more, and only then passes on what went wrong. */
async function dispatch(
  operations: WorkflowOperations,
  input: AgentWorkflowInput,
  sleep: Sleep,
  run: LoopRun,
  calls: readonly PlanEntry[],
): Promise<Done> {
  const settled = await Promise.allSettled(
    calls.map((call) =>
      call.class === 'subagent'
        ? driveChild(operations, input, sleep, call)
        : operations.runTool(run, call),
    ),
  );
  const broken = settled.find((one) => one.status === 'rejected');
  if (broken) throw broken.reason;
  const refused = settled.find((one) => one.status === 'fulfilled' && !one.value.ok);
  return refused?.status === 'fulfilled' ? refused.value : OK;
}
