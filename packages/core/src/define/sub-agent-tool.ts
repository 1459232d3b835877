import { DefinitionError } from '../errors/setup-errors.ts';
import { checkTimer } from './check-options.ts';
import { checkObjectSchema } from './check-object-schema.ts';
import { refuseOnSubAgent } from './check-tool.ts';
import { checkModelToolName } from './model-tool-name.ts';
import { SUB_AGENT_OPTIONS } from './option-names.ts';
import { refuseUnknownOptions } from './refuse-unknown.ts';
import type { AgentConfig, InferSchema, Schema, Tool } from './types.ts';

export const SUBAGENT_TOOL_PREFIX = 'subagent__';

export interface SubAgentToolOptions {
  /** What the model is told the agent is for. Default: the agent's own `description`. */
  readonly description?: string;
  /** How long it may take, without the time it waits for people. */
  readonly timeoutMs?: number;
}

/** A tool that another agent is called by. */
export type SubAgentTool<Input extends Schema, Output extends Schema> = Tool<
  InferSchema<Input>,
  InferSchema<Output>,
  `${typeof SUBAGENT_TOOL_PREFIX}${string}`
> & { readonly finishWith?: false };

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
  options: SubAgentToolOptions = {},
): SubAgentTool<Input, Output> {
  const name = `${SUBAGENT_TOOL_PREFIX}${agent.name}` as const;
  if (!agent.outputSchema) {
    throw new DefinitionError(
      `Agent "${agent.name}" cannot be a sub-agent without an outputSchema: its output is the result of the call.`,
    );
  }
  checkModelToolName(`Agent "${agent.name}" as the tool "${name}"`, name);
  checkObjectSchema(name, 'inputSchema', inputSchema);
  checkTimer(name, 'timeoutMs', options.timeoutMs);
  refuseOnSubAgent(name, options as Partial<Tool>);
  refuseUnknownOptions(name, options, SUB_AGENT_OPTIONS);
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
