import { proxyActivities } from '@temporalio/workflow';

export interface SweepOptions {
  /** Resume sessions whose calls are all answered or expired. Default false. */
  readonly autoResume?: boolean;
}

export interface SweepResult {
  readonly expired: number;
  readonly recovered: number;
  /** Why sessions could not be resumed, at most ten. */
  readonly failed: readonly string[];
}

export interface SweepActivities {
  sweepSessions(options: SweepOptions): Promise<SweepResult>;
}

/** One sweep. What it leaves undone the next one does: no retry. */
export async function sweepWorkflow(options: SweepOptions): Promise<SweepResult> {
  const { sweepSessions } = proxyActivities<SweepActivities>({
    startToCloseTimeout: '5 minutes',
    retry: { maximumAttempts: 1 },
  });
  return sweepSessions(options);
}
