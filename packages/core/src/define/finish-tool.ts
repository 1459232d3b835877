import type { Schema, Tool } from './types.ts';

export const FINISH_TOOL_NAME = '__finish__';

/** The tool with which an agent that has an output schema returns its output. */
export function createFinishTool(
  outputSchema: Schema,
  options?: { readonly strict?: boolean },
): Tool {
  return {
    name: FINISH_TOOL_NAME,
    description:
      'Hands in the final answer and ends the task. Call it once, when all work is done.',
    inputSchema: outputSchema,
    execute: (input: unknown) => input,
    finishWith: true,
    execution: 'retry',
    ...(options?.strict && { strict: true }),
  };
}
