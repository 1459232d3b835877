import type { PlanEntry } from '@helix-agents/core/loop';
import {
  ActivityCancellationType,
  proxyActivities,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { GenericActivities, WorkflowSettings } from '../workflow-contract.ts';

/** More than a tool's own time-out, which tells the model; this one is for workers that hang. */
const GRACE_MS = 30_000;
const MAX_RETRY_MS = 10_000;
/** Of what Temporal's lists say about an activity. Call ids are the provider's, and some are long. */
const MAX_SUMMARY = 100;

export type WorkflowOperations = GenericActivities;

/** The activities as the workflow calls them: each with the time it may take. */
export function operationsOf(settings: WorkflowSettings): WorkflowOperations {
  const within = (startToCloseTimeout: number, summary?: string): GenericActivities => {
    const options: ActivityOptions = {
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
    };
    return proxyActivities<GenericActivities>(options);
  };
  const toolTime = (call: PlanEntry): number =>
    call.timeoutMs === null ? settings.toolTimeoutMs : call.timeoutMs + GRACE_MS;
  return {
    ...named(within(settings.operationTimeoutMs)),
    think: (run) => within(settings.modelTimeoutMs).think(run),
    runTool: (run, call) =>
      within(toolTime(call), call.callId.slice(0, MAX_SUMMARY)).runTool(run, call),
  };
}

/** A proxy has no properties to spread. */
function named(activities: GenericActivities): GenericActivities {
  return {
    beginRun: (run) => activities.beginRun(run),
    settleStep: (run) => activities.settleStep(run),
    think: (run) => activities.think(run),
    runTool: (run, call) => activities.runTool(run, call),
    startChild: (run, index) => activities.startChild(run, index),
    collectChild: (run, index) => activities.collectChild(run, index),
    giveUpChild: (run, index, reason, detail) => activities.giveUpChild(run, index, reason, detail),
    failRun: (run, failure) => activities.failRun(run, failure),
    endRun: (run) => activities.endRun(run),
    stopRun: (run) => activities.stopRun(run),
  };
}
