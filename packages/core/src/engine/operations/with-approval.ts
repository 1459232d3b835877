import type { JsonValue } from '../../json.ts';
import type { CallResult, OpenCallRow } from '../../store/rows.ts';
import { sameJson } from '../../util/same-json.ts';

/** What a person made of the proposed input; undefined where they left it as it was. */
export function editedInput({ answer, input }: OpenCallRow): JsonValue | undefined {
  const given = answer?.kind === 'approved' ? answer.input : undefined;
  return sameJson(given, input) ? undefined : given;
}

/** The result of an approved call with the input that was edited. `ran`: its tool was started with it. */
export function withApproval(result: CallResult, row: OpenCallRow, ran: boolean): CallResult {
  const edited = editedInput(row);
  if (edited === undefined) return result;
  return ran ? { ...result, executedInput: edited } : { ...result, editedInput: edited };
}
