import type { RecoverOptions } from '@helix-agents/core';
import type { SweepTotals } from '@helix-agents/core/host';
import { proxyActivities } from '@temporalio/workflow';

type Sweep = (options: RecoverOptions) => Promise<SweepTotals>;

/** One sweep. What it leaves undone the next one does: no retry. */
export async function sweepWorkflow(options: RecoverOptions): Promise<SweepTotals> {
  const { sweepSessions } = proxyActivities<{ sweepSessions: Sweep }>({
    startToCloseTimeout: '5 minutes',
    retry: { maximumAttempts: 1 },
  });
  return sweepSessions(options);
}
