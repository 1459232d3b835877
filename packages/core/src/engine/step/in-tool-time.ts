import type { Parse } from '../../define/parse-with.ts';
import type { Tool } from '../../define/types.ts';
import type { CallResult } from '../../store/rows.ts';
import type { EngineContext } from '../context.ts';
import { isLateSchema, parserFor } from '../race.ts';
import { failure } from '../rows/answer-result.ts';

/** The result of the call, which is then not executed. */
export interface LateInput {
  readonly late: CallResult;
}

/** Reads the input of a call with a parser that has the time of the tool and of a schema. Throws when the run is stopped. */
export async function inToolTime<T extends object>(
  ctx: EngineContext,
  tool: Tool,
  signal: AbortSignal,
  read: (parse: Parse) => Promise<T>,
): Promise<T | LateInput> {
  const ms = timeOf(tool, ctx.limits.schemaTimeoutMs);
  try {
    return await read(parserFor(ctx, signal, ms));
  } catch (error) {
    if (!isLateSchema(error)) throw error;
    const message = `The input of ${tool.name} was not checked within ${ms} ms. It was not run.`;
    return { late: failure('tool_timeout', message) };
  }
}

/** Time for code that prepares a call: its own limit, or the tool's if that is shorter. The `timeoutMs` of a client tool does not count: it is for the person. */
export function timeOf({ execute, timeoutMs }: Tool, ownMs: number): number {
  return Math.min((execute === 'client' ? undefined : timeoutMs) ?? Infinity, ownMs);
}
