import type { HookPayloads } from '../../define/hooks.ts';
import { answerDetailsOf } from '../../messages/builders.ts';
import type { CallResult, PlannedCall } from '../../store/rows.ts';
import { shownInput } from '../rows/parsed-input.ts';
import type { StepView } from '../rows/step-view.ts';

/** What `onCallSettled` is told. */
export function settledCall(
  view: StepView,
  call: PlannedCall,
  result: CallResult,
): HookPayloads['onCallSettled'] {
  const { session, plan } = view;
  return {
    toolCallId: call.callId,
    toolName: call.toolName,
    stepId: session.stepId,
    index: call.index,
    kind: call.class,
    input: shownInput({ raw: call.input, parsed: call.parsed }),
    outcome: result.outcome,
    plannedIn: plan?.run ?? session.turn,
    plannedAt: plannedAt(view),
    ...result.ran,
    ...(result.wait && { wait: result.wait }),
    ...(call.child && { subAgent: call.child }),
    ...answerDetailsOf(result),
  };
}

function plannedAt({ journal, unwritten, session }: StepView): number {
  const row = [...journal, ...unwritten].find(({ kind }) => kind === 'plan');
  return row?.createdAt ?? session.updatedAt;
}
