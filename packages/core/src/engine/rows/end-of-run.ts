import type { LoopRun } from '../../loop/host.ts';
import type { RunUpdate } from '../../store/commit-plan.ts';
import type { RunStatus, SessionRow } from '../../store/rows.ts';

/** How and by which commit a run ends. */
export interface RunEnd {
  readonly status: RunStatus;
  readonly stepCount: number;
  readonly commitId: string;
  readonly now: number;
}

/** What every commit of an owner that ends its run writes: the status, no lease, the run record closed. */
export function endOfRun(
  { runId }: LoopRun,
  { status, stepCount, commitId, now }: RunEnd,
): { readonly set: Partial<SessionRow>; readonly runs: RunUpdate[] } {
  return {
    set: { status, leaseOwner: null, leaseUntil: null, lastCommit: commitId, updatedAt: now },
    runs: [{ runId, set: { status, completedAt: now, stepCount } }],
  };
}
