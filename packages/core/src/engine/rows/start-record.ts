import type { CommitGuard } from '../../store/commit-plan.ts';
import type { JournalRow, PlannedCall } from '../../store/rows.ts';
import type { EngineContext } from '../context.ts';
import { callKey } from '../../store/call-key.ts';
import { ownCall, type StepView } from './step-view.ts';

export type StartRow = Extract<JournalRow, { kind: 'start' }>;

/** What an owner writes before it runs a `once` tool. A gated call has to be approved at that moment. */
export interface StartRecord {
  readonly row: StartRow;
  readonly guard: Required<Pick<CommitGuard, 'calls'>>;
}

export function startRecord(ctx: EngineContext, view: StepView, call: PlannedCall): StartRecord {
  const { sessionId, stepId } = view.session;
  const gate = ownCall(view, call);
  return {
    row: {
      sessionId,
      stepId,
      index: call.index,
      kind: 'start',
      data: { attempt: ctx.newId() },
      createdAt: ctx.clock.now(),
    },
    guard: { calls: gate ? [{ key: callKey(gate), state: 'answered', outcome: 'approved' }] : [] },
  };
}
