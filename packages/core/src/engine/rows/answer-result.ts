import { isClientToolErrorCode, type ErrorCode } from '../../errors/codes.ts';
import type { Issue } from '../../errors/issue.ts';
import { answererOf } from '../../store/answerer.ts';
import type { CallAnswer, CallResult, OpenCallRow } from '../../store/rows.ts';
import { waitOf } from './call-wait.ts';
import { codedError } from '../../errors/coded-error.ts';

/** The result of a call that failed, for the model, the stream and the transcript. */
export function failure(code: ErrorCode, message: string): CallResult {
  return { outcome: { success: false, error: codedError(code, message) } };
}

/** Lists where the input does not fit its schema, so that the model can correct it. */
export function invalidInput(toolName: string, issues: readonly Issue[]): CallResult {
  const faults = issues.map(({ path, message }) => `${path || 'input'}: ${message}`).join('; ');
  return failure('tool_input_invalid', `Invalid input for ${toolName}: ${faults}`);
}

export const DENIAL_TEXT = 'Tool call was not approved by the user';

/** Text for an error code, for the model and for people: the application's, else the English one. */
export type DescribeError = (code: ErrorCode, english?: string) => string;

/** A failure with the application's own text for the code. */
export function describedFailure(
  describe: DescribeError,
  code: ErrorCode,
  english?: string,
): CallResult {
  return failure(code, describe(code, english));
}

/** The result of an answered row; null for an approval, whose tool still has to run. */
export function resultOfAnswer(row: OpenCallRow, describe: DescribeError): CallResult | null {
  const result = resultOf(row, describe);
  return result && { ...result, ...answererOf(row), ...waitOf(row) };
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
      return denial(answer, describe);
    case 'expired':
      return describedFailure(describe, 'client_tool_timeout');
    case 'cancelled':
      return describedFailure(describe, 'aborted');
    case 'superseded':
      return describedFailure(
        describe,
        'call_superseded',
        'The user sent a new message before this call was answered.',
      );
  }
}

/** The reason that the person gave is appended unchanged. */
function denial(answer: CallAnswer | null, describe: DescribeError): CallResult {
  const reason = answer?.kind === 'denied' ? answer.reason : undefined;
  const text = describe('tool_approval_denied', DENIAL_TEXT);
  return failure('tool_approval_denied', reason ? `${text}: ${reason}` : text);
}

function errorSubmission(error: string, describe: DescribeError): CallResult {
  return isClientToolErrorCode(error)
    ? describedFailure(describe, error)
    : failure('client_tool_error', error);
}
