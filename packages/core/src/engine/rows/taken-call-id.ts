import { HelixError } from '../../errors/helix-error.ts';
import { callKey } from '../../store/call-key.ts';
import type { PlannedCall, SessionRow } from '../../store/rows.ts';
import type { StepView } from './step-view.ts';

/** For a step without a plan: the id of one of its calls that another call of the tree already has; null if there is none. */
export async function findTakenId(
  { store, session }: StepView,
  calls: readonly PlannedCall[],
): Promise<string | null> {
  const { rootId } = session;
  for (const { callId } of calls) {
    const known = await store.readCalls(rootId, callKey({ rootId, toolCallId: callId }));
    if (known.length > 0) return callId;
  }
  return null;
}

/** An answer names a call by its id, so no two calls of a tree may have the same. */
export function callIdTaken({ sessionId }: Pick<SessionRow, 'sessionId'>, id: string): HelixError {
  return new HelixError({
    code: 'call_id_taken',
    message: `A call of session ${sessionId} has the id ${id}, which another call of its tree has already; a new run asks the model again.`,
  });
}
