import { humanizeClientToolError } from '../../errors/client-tool-errors.ts';
import { isClientToolErrorCode } from '../../errors/codes.ts';
import { answererOf } from '../../store/answerer.ts';
import type { CallAnswer, CallResult, OpenCallRow } from '../../store/rows.ts';

/** A call without a value: what the model, the stream and the transcript are told. */
export function failure(code: string, message: string): CallResult {
  return { outcome: { success: false, error: { code, message } } };
}

export const DENIAL_TEXT = 'Tool call was not approved by the user';

/** Text for an error code, for the model and for people. */
export type DescribeError = (code: string) => string;

/** What an answered row comes to; null for an approval that still has to be executed. */
export function resultOfAnswer(
  row: OpenCallRow,
  describe: DescribeError = humanizeClientToolError,
): CallResult | null {
  const result = resultOf(row, describe);
  return result && { ...result, ...answererOf(row) };
}

function resultOf(row: OpenCallRow, describe: DescribeError): CallResult | null {
  const answer = row.answer;
  switch (row.outcome) {
    case null:
    case 'approved':
      return null;
    case 'answered':
      if (answer?.kind === 'result') return { outcome: { success: true, value: answer.value } };
      if (answer?.kind === 'error') return errorSubmission(answer.error, describe);
      return failure('tool_execution_failed', 'The answer held no result.');
    case 'denied':
      return denial(answer);
    case 'expired':
      return failure('client_tool_timeout', describe('client_tool_timeout'));
    case 'cancelled':
      return failure('aborted', describe('aborted'));
    case 'superseded':
      return failure(
        'call_superseded',
        'The user sent a new message before this call was answered.',
      );
  }
}

function denial(answer: CallAnswer | null): CallResult {
  const reason = answer?.kind === 'denied' ? answer.reason : undefined;
  return failure('tool_approval_denied', reason ? `${DENIAL_TEXT}: ${reason}` : DENIAL_TEXT);
}

function errorSubmission(error: string, describe: DescribeError): CallResult {
  return isClientToolErrorCode(error)
    ? failure(error, describe(error))
    : failure('client_tool_error', error);
}
