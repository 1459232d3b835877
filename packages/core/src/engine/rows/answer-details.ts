import { answererOf } from '../../store/answerer.ts';
import type { CallResult, OpenCallRow } from '../../store/rows.ts';
import { sameJson } from '../../util/same-json.ts';
import { waitOf } from './call-wait.ts';
import { shownInput, type ToolInput } from './parsed-input.ts';

/** The input as a person edited it, with what its schema made of it; undefined if they did not. */
export function editedInput({ answer, input, rawInput }: OpenCallRow): ToolInput | undefined {
  if (answer?.kind !== 'approved' || answer.input === undefined) return undefined;
  const { input: raw, parsed } = answer;
  const isProposed = sameJson(raw, input) || (rawInput !== null && sameJson(raw, rawInput));
  return isProposed ? undefined : { raw, parsed };
}

/** The result of an approved call, with who approved it, what they said and what they edited. `ran`: its tool was started with that. */
export function withApproval(result: CallResult, row: OpenCallRow, ran: boolean): CallResult {
  const reason = row.answer?.kind === 'approved' ? row.answer.reason : undefined;
  const said = reason ? { approvalReason: reason } : {};
  const approved: CallResult = { ...result, ...said, ...answererOf(row), ...waitOf(row) };
  const edited = editedInput(row);
  if (edited === undefined) return approved;
  return ran
    ? { ...approved, executedInput: shownInput(edited) }
    : { ...approved, editedInput: edited.raw };
}
