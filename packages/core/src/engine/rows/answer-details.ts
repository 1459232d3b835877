import type { JsonValue } from '../../json.ts';
import { answererOf } from '../../store/answerer.ts';
import type { CallResult, OpenCallRow } from '../../store/rows.ts';
import { sameJson } from '../../util/same-json.ts';

/** The input as a person edited it; undefined if they did not. */
export function editedInput({ answer, input }: OpenCallRow): JsonValue | undefined {
  const given = answer?.kind === 'approved' ? answer.input : undefined;
  return sameJson(given, input) ? undefined : given;
}

/** The result of an approved call, with who approved it, what they said and what they edited. `ran`: its tool was started with that. */
export function withApproval(result: CallResult, row: OpenCallRow, ran: boolean): CallResult {
  const reason = row.answer?.kind === 'approved' ? row.answer.reason : undefined;
  const said = reason ? { approvalReason: reason } : {};
  const approved: CallResult = { ...result, ...said, ...answererOf(row) };
  const edited = editedInput(row);
  if (edited === undefined) return approved;
  return ran ? { ...approved, executedInput: edited } : { ...approved, editedInput: edited };
}
