import type { ChildEnd, Done, Host, LoopRun, LoopTimer } from '@helix-agents/core/loop';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  executeChild,
  log,
  ParentClosePolicy,
  patched,
  workflowInfo,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { AgentWorkflowInput } from '../workflow-contract.ts';
import { workflowId } from '../workflow-id.ts';
import { failureOf, isOutage } from './failure-of.ts';
import { describeRun } from './run-labels.ts';
import type { Sleep, WorkflowOperations } from './workflow-operations.ts';

const OK: Done = { ok: true };
const ASK_AGAIN_MS = 1_000;

/** The loop's operations as activities, its sub-agents as child workflows, its timers as timers of the workflow. */
export function temporalHost(
  operations: WorkflowOperations,
  input: AgentWorkflowInput,
  sleep: Sleep,
): Host {
  return {
    ...operations,
    begin: (run) => (input.continued ? Promise.resolve(OK) : operations.begin(run)),
    // The workflow goes on in a history of its own under the same id: the owner, and with it the epoch, stays.
    handover: () => Promise.resolve(OK),
    runChild: (_run, _index, child) => runChild(input, child),
    pause: () => sleep(ASK_AGAIN_MS),
    startTimer: (ms) => startTimer(sleep, ms),
    shouldYield: () => Promise.resolve(isHistoryLong(input)),
    describe: failureOf,
    warn: (event, run, error) => log.warn(event, { ...run, error }),
  };
}

function isHistoryLong({ settings }: AgentWorkflowInput): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > settings.maxHistoryEvents;
}

async function runChild(input: AgentWorkflowInput, child: LoopRun): Promise<ChildEnd> {
  try {
    await executeChild(workflowInfo().workflowType, {
      ...describeRun(child, input.searchAttributes),
      args: [{ ...input, run: child, continued: false } satisfies AgentWorkflowInput],
      workflowId: workflowId(input.prefix, child),
      // Started by its parent's history alone; an id that was used before is of a session that was deleted since.
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      // A parent that merely ended its run leaves the child alone; an abort reaches it through the store.
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
    return { kind: 'ended' };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return { kind: 'elsewhere' };
    // Of a worker before `outlast-outage`: the child goes on when its workflow is found dead.
    if (isOutage(error) && patched('store-outage')) return { kind: 'elsewhere' };
    return { kind: 'died', detail: failureOf(error).message };
  }
}

function startTimer(sleep: Sleep, ms: number): LoopTimer {
  const scope = new CancellationScope();
  return {
    fired: scope
      .run(() => sleep(ms))
      .then(
        () => true,
        () => false,
      ),
    cancel: () => scope.cancel(),
  };
}
