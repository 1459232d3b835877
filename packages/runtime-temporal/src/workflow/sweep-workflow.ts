import type { RecoverOptions } from '@helix-agents/core';
import type { SweepTotals } from '@helix-agents/core/host';
import { proxyActivities } from '@temporalio/workflow';

interface SweepActivities {
  sweepSessions(options: RecoverOptions): Promise<SweepTotals>;
}

/** One sweep. What it leaves undone the next one does: no retry. */
export async function sweepWorkflow(options: RecoverOptions): Promise<SweepTotals> {
  const { sweepSessions } = proxyActivities<SweepActivities>({
    startToCloseTimeout: '5 minutes',
    retry: { maximumAttempts: 1 },
  });
  return sweepSessions(options);
}
