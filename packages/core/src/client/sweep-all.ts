import { errorMessage } from '../errors/helix-error.ts';
import type { RecoverOptions, SweepSummary } from './recovery.ts';

/** What a sweep is done with: an executor. */
export interface Sweeper {
  sweep(): Promise<SweepSummary>;
  resume(sessionId: string): Promise<unknown>;
}

export interface SweepTotals {
  readonly expired: number;
  readonly recovered: number;
  /** Why sessions could not be resumed, at most ten. */
  readonly failed: readonly string[];
}

const MAX_PASSES = 20;
const MAX_FAILURES = 10;

/** Sweeps until nothing more is due, for schedules that want to know what came of it. */
export async function sweepAll(
  sweeper: Sweeper,
  { autoResume = false }: RecoverOptions,
): Promise<SweepTotals> {
  let expired = 0;
  let recovered = 0;
  const failed: string[] = [];
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const summary = await sweeper.sweep();
    expired += summary.expired;
    recovered += summary.recovered;
    for (const sessionId of autoResume ? summary.answered : []) {
      // Another process was first, or its agent is unknown here.
      await sweeper.resume(sessionId).catch((error: unknown) => {
        if (failed.length < MAX_FAILURES) failed.push(errorMessage(error).slice(0, 200));
      });
    }
    if (!summary.more) break;
  }
  return { expired, recovered, failed };
}
