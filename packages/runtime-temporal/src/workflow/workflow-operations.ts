import type { LoopOperations, LoopRun } from '@helix-agents/core/loop';
import { ActivityCancellationType, patched, proxyActivities } from '@temporalio/workflow';
import type { GenericActivities, TriedRun, WorkflowSettings } from '../workflow-contract.ts';
import { isOutage } from './failure-of.ts';

/** More than a tool's own time-out, which tells the model; this one is for workers that hang. */
const GRACE_MS = 30_000;
const MAX_RETRY_MS = 10_000;
const LONGEST_PAUSE_MS = 60_000;
/** Of what Temporal's lists say about an activity. Call ids are the provider's, and some are long. */
const MAX_SUMMARY = 100;

/** Durable time. Given as an argument so that a test can let a day pass. */
export type Sleep = (ms: number) => Promise<void>;

export interface WorkflowOperations extends Omit<LoopOperations, 'handover'> {
  stop(run: LoopRun, reason?: string): Promise<void>;
}

/**
 * The operations as the workflow asks for them: activities, each with the time it may take. None fails because of a store
 * that does not work for now: it is tried until the store works.
 */
export function operationsOf(settings: WorkflowSettings, sleep: Sleep): WorkflowOperations {
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
  const outlast = async <T>(run: LoopRun, work: (run: TriedRun) => Promise<T>): Promise<T> => {
    let tried: TriedRun = run;
    // Pauses grow, since each round adds to the history; the attempts within a round do not.
    for (let pauseMs = MAX_RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await work(tried);
      } catch (error) {
        if (!isOutage(error) || !patched('outlast-outage')) throw error;
      }
      await sleep(pauseMs);
      tried = { ...run, earlierAttempts: (tried.earlierAttempts ?? 0) + settings.maxAttempts };
    }
  };
  const activities = within(settings.operationTimeoutMs);
  return {
    begin: (run) => outlast(run, activities.beginRun),
    settle: (run) => outlast(run, activities.settleStep),
    think: (run) => outlast(run, within(settings.modelTimeoutMs).think),
    tool(run, call) {
      const { timeoutMs, callId } = call;
      const longest = timeoutMs === null ? settings.toolTimeoutMs : timeoutMs + GRACE_MS;
      const { runTool } = within(longest, callId.slice(0, MAX_SUMMARY));
      return outlast(run, (tried) => runTool(tried, call));
    },
    startChild: (run, index) => outlast(run, (tried) => activities.startChild(tried, index)),
    collectChild: (run, index) => outlast(run, (tried) => activities.collectChild(tried, index)),
    giveUpChild: (run, index, reason, detail) =>
      outlast(run, (tried) => activities.giveUpChild(tried, index, reason, detail)),
    fail: (run, failure) => outlast(run, (tried) => activities.failRun(tried, failure)),
    end: (run) => outlast(run, activities.endRun),
    stop: (run, ...reason) => outlast(run, (tried) => activities.stopRun(tried, ...reason)),
  };
}
