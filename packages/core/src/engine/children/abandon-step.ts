import { toolMessageFrom } from '../../messages/builders.ts';
import type { Message } from '../../messages/message.ts';
import type { CallResult, CloseReason, OpenCallRow, PlannedCall } from '../../store/rows.ts';
import {
  failure,
  resultOfAnswer,
  describedFailure,
  type DescribeError,
} from '../rows/answer-result.ts';
import type { SettledCall } from '../rows/call-usage.ts';
import { saidInStep } from '../rows/session-rows.ts';
import { ownCall, standingText, type StepView } from '../rows/step-view.ts';
import { withApproval } from '../rows/answer-details.ts';
import { callKeyText } from '../../store/call-key.ts';

/** The rows of a step that its results are made of. */
type AbandonedRows = Pick<
  StepView,
  'session' | 'plan' | 'journal' | 'results' | 'starts' | 'calls' | 'describe'
>;

/** A step that ends before all its calls have results of their own. */
export interface AbandonedStep {
  readonly calls: readonly PlannedCall[];
  readonly results: readonly CallResult[];
  /**
   * To append: the assistant message unless a suspension already did, then one tool message per call. What a stopped model
   * had said, if a new message follows.
   */
  readonly messages: readonly Message[];
  /** Calls that get their result here: their usage was not counted before. */
  readonly settled: readonly SettledCall[];
}

const REASONS: Record<Exclude<CloseReason, 'superseded'>, CallResult> = {
  aborted: failure('aborted', 'The run was aborted before this call had a result.'),
  timeout: failure(
    'subagent_timeout',
    'The sub-agent ran out of time before this call had a result.',
  ),
  failed: failure('aborted', 'The run failed before this call had a result.'),
};

/**
 * Ends a step before all its calls have results. Each gets one, in call order: the recorded one, else the accepted answer, else
 * `unknown` for a `once` tool that was started, else the reason. `answers` are rows of this session, by
 * `callKeyText`, that came down from above with the close. Pure.
 */
export function abandonStep(
  view: AbandonedRows,
  reason: CloseReason,
  answers: ReadonlyMap<string, OpenCallRow> = new Map(),
): AbandonedStep {
  const calls = view.plan?.calls ?? [];
  const settled: SettledCall[] = [];
  const results = calls.map((call) => {
    const recorded = view.results.get(call.index);
    if (recorded) return recorded;
    const row = closedRow(view, call, reason, answers);
    const result = closeCall(view, call, reason, row);
    if (call.class !== 'subagent') settled.push({ call, result, row });
    return result;
  });
  const toolMessages = calls.map((call, position) => {
    const result = results[position] ?? reasonResult(view.describe, reason);
    return toolMessageFrom(call, result.outcome, result);
  });
  const assistant = view.session.stepMessage === null ? saidIn(view, reason) : [];
  return { calls, results, messages: [...assistant, ...toolMessages], settled };
}

function saidIn(view: AbandonedRows, reason: CloseReason): readonly Message[] {
  if (view.plan) return saidInStep(view.plan);
  const stopped = reason === 'superseded' ? standingText(view) : null;
  return stopped ? [stopped.message] : [];
}

function closeCall(
  view: AbandonedRows,
  call: PlannedCall,
  reason: CloseReason,
  row: OpenCallRow | undefined,
): CallResult {
  const started = view.starts.has(call.index);
  if (row) {
    const answered = resultOfAnswer(row, view.describe);
    if (answered) return answered;
    const left = started ? outcomeUnknown(view.describe) : notExecuted(view.describe);
    return withApproval(left, row, started);
  }
  if (started && call.execution === 'once') return outcomeUnknown(view.describe);
  return reasonResult(view.describe, reason);
}

function reasonResult(describe: DescribeError, reason: CloseReason): CallResult {
  return reason === 'superseded'
    ? describedFailure(
        describe,
        'call_superseded',
        'The user sent a new message before this call had a result.',
      )
    : REASONS[reason];
}

/** The row of a human call as it closes. One that is unanswered gets the same outcome whichever store its owner is in. */
function closedRow(
  view: AbandonedRows,
  call: PlannedCall,
  reason: CloseReason,
  answers: ReadonlyMap<string, OpenCallRow>,
): OpenCallRow | undefined {
  const own = ownCall(view, call);
  const row = own?.state === 'open' ? (answers.get(callKeyText(own)) ?? own) : own;
  if (row?.state !== 'open') return row;
  return { ...row, outcome: reason === 'superseded' ? 'superseded' : 'cancelled' };
}

function notExecuted(describe: DescribeError): CallResult {
  const english = 'Approved, but the run ended before it was executed.';
  return describedFailure(describe, 'tool_not_executed', english);
}

/** A `once` tool was started and its result never arrived: it may have happened or not. */
export function outcomeUnknown(describe: DescribeError): CallResult {
  const english =
    'The tool was started but its result was lost: it may or may not have taken effect. Check before repeating it.';
  return describedFailure(describe, 'tool_outcome_unknown', english);
}
