import type { CommitPlan } from '../../store/commit-plan.ts';
import { topRef } from '../../store/session-place.ts';
import type { StepScope } from '../rows/step-view.ts';

/**
 * Deletes the settled calls of the unit whose retention is over, after a commit that settled another one: so they are deleted
 * even if no sweep runs. After a failure the next such commit tries again.
 */
export async function reapMarkers({ ctx, view }: StepScope, plan: CommitPlan): Promise<void> {
  if (!plan.update?.calls?.some(({ set }) => set.state === 'settled')) return;
  try {
    await view.store.purgeCalls(topRef(view.session), ctx.clock.now());
  } catch {
    // Nothing depends on the deletion: such calls are not shown.
  }
}
