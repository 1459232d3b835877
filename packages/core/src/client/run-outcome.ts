import type { StoredError, SuspendedStatus } from '../store/rows.ts';
import type { AgentResult } from './types.ts';

/** A sub-agent that a suspended run waits for. */
export interface SuspendedChildWait {
  readonly subSessionId: string;
}

/** How a run ended, told apart by `kind`; an `AgentResult` says the same by `status`. */
export type RunOutcome<Output = unknown> =
  | { readonly kind: 'completed'; readonly output: Output }
  | { readonly kind: 'failed'; readonly error: StoredError }
  | { readonly kind: 'interrupted' }
  | {
      readonly kind: SuspendedStatus;
      readonly toolCallIds: readonly string[];
      readonly children: readonly SuspendedChildWait[];
      readonly stepId: number;
    };

/** How a step ended: the run goes on, or ends with it. */
export type StepOutcome<Output = unknown> = { readonly kind: 'continue' } | RunOutcome<Output>;

export function toRunOutcome<Output>(result: AgentResult<Output>): RunOutcome<Output> {
  switch (result.status) {
    case 'completed':
      return { kind: 'completed', output: result.output };
    case 'failed':
      return { kind: 'failed', error: result.error };
    case 'interrupted':
      return { kind: 'interrupted' };
    case 'suspended_client_tool':
    case 'suspended_awaiting_children':
    case 'suspended_step_partial': {
      const { toolCallIds, children, stepId } = result.suspended;
      const waits = children.map((subSessionId) => ({ subSessionId }));
      return { kind: result.status, toolCallIds, children: waits, stepId };
    }
  }
}
