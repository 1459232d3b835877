import { requireDefinition } from './check-agent.ts';
import { collectAgents } from './resolve-agent.ts';
import type { LLMConfig } from '../llm/adapter.ts';
import type { AgentConfig, InferSchema, Schema, Tool } from './types.ts';

/** What `defineAgent` takes. */
export type AgentDefinition<
  State extends Schema = Schema,
  Output extends Schema = Schema,
  Tools extends readonly Tool[] = readonly Tool[],
> = Omit<AgentConfig<State, Output, Tools>, 'systemPrompt' | 'llmConfig'> & {
  readonly systemPrompt: string | ((state: InferSchema<State>) => string);
  /** The model of this agent and its settings. Default: the model that `createHelix`, or the model adapter, was given. */
  readonly llmConfig?: LLMConfig;
};

/** Whether the state has all that these tools were written for. */
type StateFits<Tools, State> = [Misfit<Tools, State>] extends [never]
  ? unknown
  : {
      readonly tools: `the stateSchema of this agent lacks what the tool "${Misfit<Tools, State>}" was written for`;
    };

type Misfit<Tools, State> =
  Tools extends Tool<never, unknown, infer Name, infer Needed>
    ? State extends Needed
      ? never
      : Name
    : never;

/**
 * Checks an agent. Pure data: runs nothing.
 *
 * @example
 * const agent = defineAgent({
 *   name: 'support',
 *   systemPrompt: (state) => `The customer is ${state.customer}.`,
 *   stateSchema: z.object({ customer: z.string().default('unknown') }),
 *   tools: [lookUpOrder, refund],
 * });
 */
export function defineAgent<
  State extends Schema = Schema,
  Output extends Schema = Schema<string>,
  Tools extends readonly Tool[] = readonly [],
>(
  definition: AgentDefinition<State, Output, Tools> & StateFits<Tools[number], InferSchema<State>>,
): AgentConfig<State, Output, Tools> {
  requireDefinition(definition);
  const { llmConfig = {} } = definition;
  const agent: AgentConfig<State, Output, Tools> = { ...definition, llmConfig };
  collectAgents(agent as AgentConfig);
  return agent;
}
