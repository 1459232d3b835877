import { toolMessageFrom } from '../../messages/builders.ts';
import type { Message } from '../../messages/message.ts';
import type { CallResult, CloseReason, OpenCallRow, PlannedCall } from '../../store/rows.ts';
import { failure, resultOfAnswer } from './answer-result.ts';
import { ownCall, type StepView } from './step-view.ts';
import { withApproval } from './answer-details.ts';

/** A step that ends before all its calls have results of their own. */
export interface ClosedStep {
  readonly calls: readonly PlannedCall[];
  readonly results: readonly CallResult[];
  /** To append: the assistant message unless a suspension already did, then one tool message per call. */
  readonly messages: readonly Message[];
}

const REASONS: Record<CloseReason, CallResult> = {
  aborted: failure('aborted', 'The run was aborted before this call had a result.'),
  superseded: failure(
    'call_superseded',
    'The user sent a new message before this call had a result.',
  ),
  timeout: failure(
    'subagent_timeout',
    'The sub-agent ran out of time before this call had a result.',
  ),
  failed: failure('aborted', 'The run failed before this call had a result.'),
};

/**
 * One result per call, in call order: the recorded one, else the accepted answer, else `unknown` for a `once` tool that
 * was started, else the reason. `answers` are rows of this session that came down from above with the close.
 */
export function closeStep(
  view: StepView,
  reason: CloseReason,
  answers: ReadonlyMap<string, OpenCallRow> = new Map(),
): ClosedStep {
  const calls = view.plan?.calls ?? [];
  const results = calls.map((call) => closeCall(view, call, reason, answers));
  const toolMessages = calls.map((call, position) => {
    const result = results[position] ?? REASONS[reason];
    return toolMessageFrom(call, result.outcome, result);
  });
  const assistant = view.plan && view.session.stepMessage === null ? [view.plan.message] : [];
  return { calls, results, messages: [...assistant, ...toolMessages] };
}

function closeCall(
  view: StepView,
  call: PlannedCall,
  reason: CloseReason,
  answers: ReadonlyMap<string, OpenCallRow>,
): CallResult {
  const recorded = view.results.get(call.index);
  if (recorded) return recorded;
  const started = view.starts.has(call.index);
  const own = ownCall(view, call);
  const row = own?.state === 'open' ? (answers.get(call.callId) ?? own) : own;
  if (row) {
    const answered = resultOfAnswer(closedRow(row, reason), view.describe);
    if (answered) return answered;
    return withApproval(started ? UNKNOWN : NOT_EXECUTED, row, started);
  }
  if (started && call.execution === 'once') return UNKNOWN;
  return REASONS[reason];
}

/** A row that is closed unanswered says the same wherever its owner lives. */
function closedRow(row: OpenCallRow, reason: CloseReason): OpenCallRow {
  if (row.state !== 'open') return row;
  return { ...row, outcome: reason === 'superseded' ? 'superseded' : 'cancelled' };
}

const NOT_EXECUTED: CallResult = failure(
  'tool_not_executed',
  'Approved, but the run ended before it was executed.',
);

/** A `once` tool was started and its result never arrived: it may have happened or not. */
export const UNKNOWN: CallResult = failure(
  'tool_outcome_unknown',
  'The tool was started but its result was lost: it may or may not have taken effect. Check before repeating it.',
);
