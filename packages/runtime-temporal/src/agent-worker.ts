import type { RecoverOptions } from '@helix-agents/core';
import { sweepAll, type Sweeper } from '@helix-agents/core/host';
import { Client } from '@temporalio/client';
import {
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { createAgentActivities, type AgentActivitiesConfig } from './activities.ts';
import { DEFAULT_TASK_QUEUE } from './defaults.ts';
import { bundleAgentWorkflow } from './workflow-bundle.ts';

export interface AgentWorkerConfig extends AgentActivitiesConfig {
  /** Default: `localhost:7233`. */
  readonly connection?: NativeConnection;
  readonly namespace?: string;
  /** Default `helix-agents`. */
  readonly taskQueue?: string;
  /** Made by `bundleAgentWorkflow`. Default: bundled now, which takes about a second. */
  readonly workflowBundle?: WorkflowBundleOption;
  /** A file of your own that exports `agentWorkflow` besides your workflows. */
  readonly workflowsPath?: string;
  /** What `startSweepSchedule` calls: an executor over the same stores. */
  readonly sweeper?: Sweeper;
  /** Activities of your own, beside those of the agents. */
  readonly activities?: object;
  /** Any other option of Temporal's worker; wins over the defaults here. */
  readonly worker?: Partial<WorkerOptions>;
}

/** What a worker of agents needs to be told, and why. */
const SAFE_DEFAULTS: Partial<WorkerOptions> = {
  // An error in workflow code fails the workflow, so that the session can be taken over; else it is retried for ever.
  workflowFailureErrorTypes: { '*': ['Error'] },
  // A cancelled activity hears of it with its next heartbeat.
  maxHeartbeatThrottleInterval: '500ms',
  // How long Temporal waits for a worker that died before it hands its workflows to another one.
  stickyQueueScheduleToStartTimeout: '1s',
  // On SIGTERM tools and model calls may end; after that they are cut, and another worker repeats them.
  shutdownGraceTime: '5s',
};

/**
 * A worker that runs agents: workflow, activities and safe settings in one call. `worker.run()` returns after SIGTERM or
 * `worker.shutdown()`.
 *
 * @example
 * const worker = await createAgentWorker({ stateStore, streamManager, llmAdapter, agentRegistry });
 * await worker.run();
 */
export async function createAgentWorker(config: AgentWorkerConfig): Promise<Worker> {
  const { namespace, workflowsPath, sweeper } = config;
  const connection = config.connection ?? (await NativeConnection.connect());
  const client = config.client ?? new Client({ connection, ...(namespace && { namespace }) });
  const { logger } = Runtime.instance();
  const workflowBundle =
    config.workflowBundle ??
    (await bundleAgentWorkflow({ logger, ...(workflowsPath && { workflowsPath }) }));
  return Worker.create({
    ...SAFE_DEFAULTS,
    connection,
    ...(namespace === undefined ? {} : { namespace }),
    taskQueue: config.taskQueue ?? DEFAULT_TASK_QUEUE,
    workflowBundle,
    activities: {
      ...config.activities,
      ...createAgentActivities({ ...config, client }),
      ...(sweeper && { sweepSessions: (options: RecoverOptions) => sweepAll(sweeper, options) }),
    },
    ...config.worker,
  });
}
