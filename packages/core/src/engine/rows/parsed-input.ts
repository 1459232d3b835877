import type { Parse, ParseResult } from '../../define/parse-with.ts';
import type { Tool } from '../../define/types.ts';
import type { Issue } from '../../errors/issue.ts';
import type { JsonValue } from '../../json.ts';
import type { ParsedInput } from '../../store/rows.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { isPlainJson, jsonForm } from '../../util/json-form.ts';
import { ownCopy } from '../../util/own-copy.ts';
import { sameJson } from '../../util/same-json.ts';

/** An input as the model or a person gave it, with what the schema made of it. */
export interface ToolInput {
  readonly raw: JsonValue;
  /** Absent if it was not parsed: in a plan of an earlier release, in an edit that could not be checked. */
  readonly parsed?: ParsedInput | undefined;
}

type InputResult = Extract<ParseResult, { ok: false }> | ParsedValue;

interface ParsedValue {
  readonly ok: true;
  readonly value: unknown;
  /** Undefined: the value has no JSON form. */
  readonly parsed: ParsedInput | undefined;
}

/** Parses a raw input. The value is for one use; `parsed` is what is stored. */
export async function parseInput(
  tool: Pick<Tool, 'inputSchema'>,
  raw: JsonValue,
  parse: Parse,
): Promise<InputResult> {
  const result = await parse(tool.inputSchema, ownCopy(raw));
  if (!result.ok) return result;
  return { ok: true, value: result.value, parsed: parsedInput(raw, result.value) };
}

function parsedInput(raw: JsonValue, value: unknown): ParsedInput | undefined {
  if (isPlainJson(value)) {
    return sameJson(raw, value) ? { kind: 'same' } : { kind: 'json', value: frozenCopy(value) };
  }
  const form = jsonForm(value);
  return form === undefined ? undefined : { kind: 'form', value: frozenCopy(form) };
}

/** The input as people see it: the value that runs, or its JSON form. */
export function shownInput({ raw, parsed }: ToolInput): JsonValue {
  return parsed === undefined || parsed.kind === 'same' ? raw : parsed.value;
}

/** The value for the tool's code: what was shown. Where JSON could not keep it the raw input is parsed again, and has to come to the same form. */
export async function inputToRun(tool: Tool, input: ToolInput, parse: Parse): Promise<ParseResult> {
  const { raw, parsed } = input;
  if (parsed?.kind === 'same') return { ok: true, value: ownCopy(raw) };
  if (parsed?.kind === 'json') return { ok: true, value: ownCopy(parsed.value) };
  const again = await parseInput(tool, raw, parse);
  if (!again.ok || parsed === undefined) return again;
  const form = shownInput({ raw, parsed: again.parsed });
  return sameJson(form, parsed.value) ? again : { ok: false, issues: [READ_OTHERWISE] };
}

/** A person decides about what they see. */
export const NOT_SHOWABLE: Issue = {
  path: '',
  message: 'its schema made something of it that has no JSON form, so that nobody can be shown it',
};

const READ_OTHERWISE: Issue = {
  path: '',
  message: 'its schema made something else of it than what was shown before the call ran',
};
