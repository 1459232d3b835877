import type { Tool } from '../../define/types.ts';
import type { JsonValue } from '../../json.ts';
import type { CallResult } from '../../store/rows.ts';
import { ownCopy } from '../../util/own-copy.ts';
import type { EngineContext } from '../context.ts';
import { isLateSchema, parserFor } from '../race.ts';
import { failure, invalidInput } from '../rows/answer-result.ts';

export type ParsedInput =
  | { readonly ok: true; readonly value: unknown }
  /** What the call comes to without being executed. */
  | { readonly ok: false; readonly result: CallResult };

/** The input of a call as its tool's schema reads it, within the time that the tool and a schema have. */
export async function parseInput(
  ctx: EngineContext,
  tool: Tool,
  input: JsonValue,
  signal: AbortSignal,
): Promise<ParsedInput> {
  const ms = timeFor(ctx, tool);
  try {
    const parsed = await parserFor(ctx, signal, ms)(tool.inputSchema, ownCopy(input));
    return parsed.ok ? parsed : { ok: false, result: invalidInput(tool.name, parsed.issues) };
  } catch (error) {
    if (!isLateSchema(error)) throw error;
    const message = `The input of ${tool.name} was not checked within ${ms} ms. It was not run.`;
    return { ok: false, result: failure('tool_timeout', message) };
  }
}

/** The time-out of a client tool is that of a person. */
function timeFor({ limits }: EngineContext, { execute, timeoutMs }: Tool): number {
  const own = execute === 'client' ? undefined : timeoutMs;
  return Math.min(own ?? Infinity, limits.schemaTimeoutMs);
}
