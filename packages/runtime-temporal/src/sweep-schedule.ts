import type { RecoverOptions } from '@helix-agents/core';
import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type Client } from '@temporalio/client';
import { DEFAULT_TASK_QUEUE } from './defaults.ts';

export interface SweepScheduleOptions extends RecoverOptions {
  readonly client: Client;
  /** Default 30,000. */
  readonly everyMs?: number;
  readonly taskQueue?: string;
  /** Default `helix-agents-sweep`. */
  readonly scheduleId?: string;
}

/**
 * Deadlines, reminders and forgotten runs, looked after by a Temporal schedule instead of a timer of your own. The workers
 * need a `sweeper`. Creates the schedule unless it is there already.
 */
export async function startSweepSchedule(options: SweepScheduleOptions): Promise<void> {
  const { client, everyMs = 30_000, autoResume = false } = options;
  try {
    await client.schedule.create({
      scheduleId: options.scheduleId ?? 'helix-agents-sweep',
      spec: { intervals: [{ every: everyMs }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP },
      action: {
        type: 'startWorkflow',
        workflowType: 'sweepWorkflow',
        args: [{ autoResume } satisfies RecoverOptions],
        taskQueue: options.taskQueue ?? DEFAULT_TASK_QUEUE,
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
