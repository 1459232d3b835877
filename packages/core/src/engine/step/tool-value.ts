import type { ParseResult } from '../../define/parse-with.ts';
import type { Tool } from '../../define/types.ts';
import { errorMessage } from '../../errors/helix-error.ts';
import type { CallResult } from '../../store/rows.ts';
import { describeFault, toJsonValue } from '../../util/to-json-value.ts';
import { failure } from '../rows/answer-result.ts';
import type { EngineContext } from '../context.ts';
import { parserFor } from '../race.ts';

/**
 * The result that a tool's own value comes to: it fits the tool's `outputSchema`, where there is one, and is plain data
 * within the limit. The value is kept as it came, as a client's result is, not as the schema would change it.
 */
export async function resultOfValue(
  ctx: EngineContext,
  tool: Tool,
  value: unknown,
): Promise<CallResult> {
  // First, because a schema would walk all of a value that is too large.
  const result = plainResult(ctx, tool, value);
  if (!result.outcome.success || !tool.outputSchema) return result;
  try {
    const parsed = await parserFor(ctx)(tool.outputSchema, value);
    return parsed.ok ? result : misfit(tool, parsed.issues);
  } catch (error) {
    return misfit(tool, [{ path: '', message: errorMessage(error) }]);
  }
}

function misfit(tool: Tool, issues: Extract<ParseResult, { ok: false }>['issues']): CallResult {
  const faults = issues.map(({ path, message }) => `${path || 'output'}: ${message}`).join('; ');
  const message = `The tool ${tool.name} ran, but what it returned does not fit its outputSchema: ${faults}`;
  return failure('tool_output_invalid', message);
}

function plainResult(ctx: EngineContext, tool: Tool, value: unknown): CallResult {
  const { maxToolResultBytes } = ctx.limits;
  const json = toJsonValue(value, maxToolResultBytes);
  if (json.ok) return { outcome: { success: true, value: json.value } };
  if (json.isTooLarge) {
    const message = `The tool ${tool.name} ran, but its result is larger than the ${maxToolResultBytes} bytes that are kept.`;
    return failure('tool_result_too_large', message);
  }
  const message = `The tool ${tool.name} ran, but returned something that is not plain data: ${describeFault(json)}.`;
  return failure('tool_result_unserializable', message);
}
