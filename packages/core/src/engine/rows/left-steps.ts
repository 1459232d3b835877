import type { JournalRow, LeftStep, StoppedText } from '../../store/rows.ts';
import type { StepView } from './step-view.ts';

/**
 * Steps that a commit leaves without a model answer, so that their chunks are withdrawn: the step in progress of a running
 * session, and the text of a stopped model before it. The step of a session that is not running has streamed nothing. Pure.
 */
export function leftSteps(
  { session, stopped }: Pick<StepView, 'session' | 'stopped'>,
  reason: string,
): LeftStep[] {
  const own = session.status === 'running' ? [{ step: session.stepId, reason }] : [];
  return [...stoppedStep(stopped), ...own];
}

/** Steps before the one in progress of a running session whose chunks are withdrawn. Pure. */
export function withdrawnSteps({
  withdrawn,
  stopped,
}: Pick<StepView, 'withdrawn' | 'stopped'>): LeftStep[] {
  return [...withdrawn, ...stoppedStep(stopped)];
}

function stoppedStep(stopped: StoppedText | null): LeftStep[] {
  return stopped ? [{ step: stopped.step, reason: 'stopped' }] : [];
}

/** Part of that commit, so that any process can announce the withdrawal. Deleted with the step that is open after the commit. */
export function withdrawnRows(
  { session: { sessionId, stepId } }: Pick<StepView, 'session'>,
  steps: readonly LeftStep[],
  now: number,
): JournalRow[] {
  if (steps.length === 0) return [];
  const key = { sessionId, stepId: stepId + 1, index: -1, kind: 'withdrawn' } as const;
  return [{ ...key, data: { steps }, createdAt: now }];
}
