import { parseWith, type ParseResult } from '../../define/parse-with.ts';
import type { Tool } from '../../define/types.ts';
import type { CallResult } from '../../store/rows.ts';
import { toJsonValue } from '../../util/to-json-value.ts';
import { failure } from '../rows/answer-result.ts';
import type { EngineContext } from '../context.ts';

/**
 * The result that a tool's own value comes to: it fits the tool's `outputSchema`, where there is one, and is plain data
 * within the limit. The value is kept as it came, as a client's result is, not as the schema would change it.
 */
export async function resultOfValue(
  ctx: EngineContext,
  tool: Tool,
  value: unknown,
): Promise<CallResult> {
  const parsed = tool.outputSchema ? await parseWith(tool.outputSchema, value) : null;
  return parsed?.ok === false ? misfit(tool, parsed.issues) : plainResult(ctx, tool, value);
}

function misfit(tool: Tool, issues: Extract<ParseResult, { ok: false }>['issues']): CallResult {
  const faults = issues.map(({ path, message }) => `${path || 'output'}: ${message}`).join('; ');
  const message = `The tool ${tool.name} ran, but what it returned does not fit its outputSchema: ${faults}`;
  return failure('tool_output_invalid', message);
}

function plainResult(ctx: EngineContext, tool: Tool, value: unknown): CallResult {
  const json = toJsonValue(value);
  if (!json.ok) {
    const message = `The tool ${tool.name} returned something that is not plain data: ${json.reason}.`;
    return failure('tool_result_unserializable', message);
  }
  if (json.bytes > ctx.limits.maxToolResultBytes) {
    const message = `The result of ${tool.name} has ${json.bytes} bytes; at most ${ctx.limits.maxToolResultBytes} are kept.`;
    return failure('tool_result_too_large', message);
  }
  return { outcome: { success: true, value: json.value } };
}
