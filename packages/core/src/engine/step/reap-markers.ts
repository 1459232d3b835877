import type { CommitPlan } from '../../store/commit-plan.ts';
import { topRef } from '../../store/session-place.ts';
import type { StepScope } from '../rows/step-view.ts';

/**
 * Deletes the calls of the unit whose retention is over, when a commit has settled another one: where nothing sweeps they go all the same.
 * What fails here is left to the next one.
 */
export async function reapMarkers({ ctx, view }: StepScope, plan: CommitPlan): Promise<void> {
  if (!plan.update?.calls?.some(({ set }) => set.state === 'settled')) return;
  try {
    await view.store.purgeCalls(topRef(view.session), ctx.clock.now());
  } catch {
    // Nothing depends on it: they are shown nowhere.
  }
}
