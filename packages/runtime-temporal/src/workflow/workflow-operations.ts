import type { LoopOperations, LoopRun } from '@helix-agents/core/loop';
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { GenericActivities, WorkflowSettings } from '../workflow-contract.ts';

/** More than a tool's own time-out, which tells the model; this one is for workers that hang. */
const GRACE_MS = 30_000;
const MAX_RETRY_MS = 10_000;
/** Of what Temporal's lists say about an activity. Call ids are the provider's, and some are long. */
const MAX_SUMMARY = 100;

export interface WorkflowOperations extends Omit<LoopOperations, 'handover'> {
  stop(run: LoopRun, reason?: string): Promise<void>;
}

/** The operations as the workflow asks for them: activities, each with the time it may take. */
export function operationsOf(settings: WorkflowSettings): WorkflowOperations {
  const within = (startToCloseTimeout: number, summary?: string): GenericActivities =>
    proxyActivities<GenericActivities>({
      startToCloseTimeout,
      heartbeatTimeout: settings.heartbeatTimeoutMs,
      retry: {
        initialInterval: settings.firstRetryMs,
        backoffCoefficient: 2,
        maximumInterval: Math.max(MAX_RETRY_MS, settings.firstRetryMs),
        maximumAttempts: settings.maxAttempts,
      },
      // A stop is for the loop to obey, at its boundary.
      cancellationType: ActivityCancellationType.ABANDON,
      ...(summary === undefined ? {} : { summary }),
    });
  const activities = within(settings.operationTimeoutMs);
  return {
    begin: (run) => activities.beginRun(run),
    settle: (run) => activities.settleStep(run),
    think: (run) => within(settings.modelTimeoutMs).think(run),
    tool(run, call) {
      const { timeoutMs, callId } = call;
      const longest = timeoutMs === null ? settings.toolTimeoutMs : timeoutMs + GRACE_MS;
      return within(longest, callId.slice(0, MAX_SUMMARY)).runTool(run, call);
    },
    startChild: (run, index) => activities.startChild(run, index),
    collectChild: (run, index) => activities.collectChild(run, index),
    giveUpChild: (run, index, reason, detail) => activities.giveUpChild(run, index, reason, detail),
    fail: (run, failure) => activities.failRun(run, failure),
    end: (run) => activities.endRun(run),
    stop: (run, reason) =>
      reason === undefined ? activities.stopRun(run) : activities.stopRun(run, reason),
  };
}
