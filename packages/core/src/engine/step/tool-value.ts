import { parseWith, type ParseResult } from '../../define/parse-with.ts';
import type { Tool } from '../../define/types.ts';
import type { CallResult } from '../../store/rows.ts';
import { toJsonValue } from '../../util/to-json-value.ts';
import { failure } from '../rows/answer-result.ts';
import type { EngineContext } from '../context.ts';

/**
 * The result that a tool's own value comes to: it fits the tool's `outputSchema`, where there is one, and is plain data
 * within the limit. What is kept is the value as it came, like a client's. At once, unless the schema takes its time.
 */
export function resultOfValue(
  ctx: EngineContext,
  tool: Tool,
  value: unknown,
): CallResult | Promise<CallResult> {
  if (!tool.outputSchema) return plainResult(ctx, tool, value);
  const checked = (parsed: ParseResult): CallResult =>
    parsed.ok ? plainResult(ctx, tool, value) : misfit(tool, parsed.issues);
  const parsed = parseWith(tool.outputSchema, value);
  return parsed instanceof Promise ? parsed.then(checked) : checked(parsed);
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
