import { humanizeClientToolError } from '../../errors/client-tool-errors.ts';
import { isClientToolErrorCode } from '../../errors/codes.ts';
import type { CallResult, OpenCallRow } from '../../store/rows.ts';

/** A call without a value: what the model, the stream and the transcript are told. */
export function failure(code: string, message: string): CallResult {
  return { outcome: { success: false, error: { code, message } } };
}

export const DENIAL_TEXT = 'Tool call was not approved by the user';

/** What an answered row comes to; null for an approval that still has to be executed. */
export function resultOfAnswer(row: OpenCallRow): CallResult | null {
  const answer = row.answer;
  switch (row.outcome) {
    case null:
    case 'approved':
      return null;
    case 'answered':
      if (answer?.kind === 'result') return { outcome: { success: true, value: answer.value } };
      if (answer?.kind === 'error') return errorSubmission(answer.error);
      return failure('tool_execution_failed', 'The answer held no result.');
    case 'denied': {
      const reason = answer?.kind === 'denied' ? answer.reason : undefined;
      return failure('tool_approval_denied', reason ? `${DENIAL_TEXT}: ${reason}` : DENIAL_TEXT);
    }
    case 'expired':
      return failure('client_tool_timeout', humanizeClientToolError('client_tool_timeout'));
    case 'cancelled':
      return failure('aborted', humanizeClientToolError('aborted'));
    case 'superseded':
      return failure(
        'call_superseded',
        'The user sent a new message before this call was answered.',
      );
  }
}

function errorSubmission(error: string): CallResult {
  return isClientToolErrorCode(error)
    ? failure(error, humanizeClientToolError(error))
    : failure('client_tool_error', error);
}
