import type { Done, LoopRun, PlanEntry } from '@helix-agents/core/loop';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  executeChild,
  isCancellation,
  log,
  ParentClosePolicy,
  workflowInfo,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { OperationResults } from '../operation-results.ts';
import type { AgentWorkflowInput } from '../workflow-contract.ts';
import { workflowId } from '../workflow-id.ts';
import type { Sleep } from './agent-workflow.ts';
import { failureOf } from './failure-of.ts';
import { describeRun } from './run-labels.ts';
import type { WorkflowOperations } from './workflow-operations.ts';

const ASK_AGAIN_MS = 1_000;

/** Brings the sub-agent of a call as far as it goes without a person, as a workflow of its own, and collects it. */
export async function driveChild(
  operations: WorkflowOperations,
  input: AgentWorkflowInput,
  sleep: Sleep,
  call: PlanEntry,
): Promise<Done> {
  const { run } = input;
  for (;;) {
    const started = await startOrReport(operations, run, call);
    if (!started.ok) return started;
    const driven =
      started.kind === 'collect' ||
      (started.kind === 'run' && (await runChild(operations, input, sleep, call, started)));
    if (driven) return operations.collectChild(run, call.index);
    await sleep(ASK_AGAIN_MS);
  }
}

/** A child that cannot be started is one tool error; its siblings go on. */
async function startOrReport(
  operations: WorkflowOperations,
  run: LoopRun,
  call: PlanEntry,
): Promise<OperationResults['startChild']> {
  try {
    return await operations.startChild(run, call.index);
  } catch (error) {
    const { message } = failureOf(error);
    const given = await operations.giveUpChild(run, call.index, 'dispatch_failed', message);
    return given.ok ? { ok: true, kind: 'collect' } : given;
  }
}

/** False when another workflow drives that run already. */
async function runChild(
  operations: WorkflowOperations,
  input: AgentWorkflowInput,
  sleep: Sleep,
  call: PlanEntry,
  { run: child, usedMs }: { readonly run: LoopRun; readonly usedMs: number },
): Promise<boolean> {
  const { run, prefix } = input;
  const late = new CancellationScope();
  const { timeoutMs } = call;
  if (timeoutMs !== null) {
    // Its time was used up before: only an answer that it has not taken in yet lets it off, for another such time.
    const isLate = usedMs >= timeoutMs;
    if (isLate) await operations.giveUpChild(run, call.index, 'timeout');
    const first = isLate ? timeoutMs : timeoutMs - usedMs;
    late
      .run(() => giveUpWhenLate(operations, sleep, run, call.index, timeoutMs, first))
      .catch((error: unknown) => {
        if (!isCancellation(error)) log.warn('subagent.timeout_failed', { error: String(error) });
      });
  }
  try {
    await executeChild(workflowInfo().workflowType, {
      ...describeRun(child, input.searchAttributes),
      args: [{ ...input, run: child, continued: false } satisfies AgentWorkflowInput],
      workflowId: workflowId(prefix, child),
      // Started by its parent's history alone; an id that was used before is of a session that was deleted since.
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      // A parent that merely ended its run leaves the child alone; an abort reaches it through the store.
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    // It ended without a word in the store, or could not be started at all.
    await operations.collectChild(run, call.index);
    await operations.giveUpChild(run, call.index, 'error', failureOf(error).message);
  } finally {
    late.cancel();
  }
  return true;
}

/** A person who is asked puts the end off: it is tried again after another such time, until the child's run has ended. */
async function giveUpWhenLate(
  operations: WorkflowOperations,
  sleep: Sleep,
  run: LoopRun,
  index: number,
  timeoutMs: number,
  first: number,
): Promise<void> {
  for (let wait = first; ; wait = timeoutMs) {
    await sleep(wait);
    await operations.giveUpChild(run, index, 'timeout');
  }
}
