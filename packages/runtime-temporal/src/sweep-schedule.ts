import { errorMessage, type SweepSummary } from '@helix-agents/core';
import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type Client } from '@temporalio/client';
import { DEFAULT_TASK_QUEUE } from './defaults.ts';
import type { SweepActivities, SweepOptions } from './workflow/sweep-workflow.ts';

/** What a sweep is done with: a `TemporalAgentExecutor`. */
export interface Sweeper {
  sweep(): Promise<SweepSummary>;
  resume(sessionId: string): Promise<unknown>;
}

const MAX_PASSES = 20;

/** The activity behind the schedule. */
export function createSweepActivities(sweeper: Sweeper): SweepActivities {
  return {
    async sweepSessions({ autoResume = false }) {
      let expired = 0;
      let recovered = 0;
      const failed: string[] = [];
      for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
        const summary = await sweeper.sweep();
        expired += summary.expired;
        recovered += summary.recovered;
        for (const sessionId of autoResume ? summary.answered : []) {
          // Somebody else was first, or its agent is unknown here.
          await sweeper.resume(sessionId).catch((error: unknown) => {
            if (failed.length < 10) failed.push(errorMessage(error).slice(0, 200));
          });
        }
        if (!summary.more) break;
      }
      return { expired, recovered, failed };
    },
  };
}

export interface SweepScheduleOptions extends SweepOptions {
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
        args: [{ autoResume } satisfies SweepOptions],
        taskQueue: options.taskQueue ?? DEFAULT_TASK_QUEUE,
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
