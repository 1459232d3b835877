import { DefinitionError } from '../errors/setup-errors.ts';
import { checkShownSchema, checkTimer } from './check-options.ts';
import { refuseOnSubAgent } from './check-tool.ts';
import type { AgentConfig, InferSchema, Schema, Tool } from './types.ts';

export const SUBAGENT_TOOL_PREFIX = 'subagent__';

/**
 * A tool that hands work to another agent and answers with that agent's output.
 *
 * @example
 * createSubAgentTool(researcher, z.object({ topic: z.string() }), { timeoutMs: 60_000 });
 */
export function createSubAgentTool<
  Input extends Schema,
  State extends Schema,
  Output extends Schema,
>(
  agent: AgentConfig<State, Output>,
  inputSchema: Input,
  options: { readonly description?: string; readonly timeoutMs?: number } = {},
): Tool<InferSchema<Input>, InferSchema<Output>> {
  const name = `${SUBAGENT_TOOL_PREFIX}${agent.name}`;
  if (!agent.outputSchema) {
    throw new DefinitionError(
      `Agent "${agent.name}" cannot be a sub-agent without an outputSchema: its output is the result of the call.`,
    );
  }
  checkShownSchema(name, 'inputSchema', inputSchema);
  checkTimer(name, 'timeoutMs', options.timeoutMs);
  refuseOnSubAgent(name, options as Partial<Tool>);
  return {
    name,
    description: options.description ?? agent.description ?? '',
    inputSchema,
    outputSchema: agent.outputSchema as Schema<InferSchema<Output>>,
    execute: () => {
      throw new DefinitionError(
        `${name} is run by the engine as an agent, never called as a function.`,
      );
    },
    execution: 'retry',
    subAgent: {
      agent,
      ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    },
  };
}

/** Whether a tool, by its name, hands work to another agent. */
export function isSubAgentTool(name: string): boolean {
  return name.startsWith(SUBAGENT_TOOL_PREFIX);
}
