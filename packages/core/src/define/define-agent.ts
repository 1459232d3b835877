import { DefinitionError } from '../errors/setup-errors.ts';
import { describeIssues } from '../errors/issue.ts';
import { collectAgents } from './resolve-agent.ts';
import { checkAgentTools, checkStateOfTools } from './check-agent-tools.ts';
import { checkCapabilities } from './check-capabilities.ts';
import { checkHooks } from './check-hooks.ts';
import { checkObjectSchema } from './check-object-schema.ts';
import { checkDeadline, checkSchema } from './check-options.ts';
import { AGENT_OPTIONS, MODEL_OPTIONS } from './option-names.ts';
import { parseNow } from './parse-with.ts';
import { refuseUnknownOptions } from './refuse-unknown.ts';
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
  const { name, systemPrompt, maxSteps, stateSchema, outputSchema, llmConfig = {} } = definition;
  if (typeof name !== 'string' || name.trim() === '') {
    throw new DefinitionError('An agent needs a name: give defineAgent a non-empty `name`.');
  }
  const owner = `Agent "${name}"`;
  refuseUnknownOptions(owner, definition, AGENT_OPTIONS);
  if (typeof systemPrompt !== 'string' && typeof systemPrompt !== 'function') {
    throw new DefinitionError(
      `${owner}: \`systemPrompt\` must be a string or a function of the state.`,
    );
  }
  checkModelOptions(owner, llmConfig);
  checkHooks(owner, definition.hooks);
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps > 0)) {
    throw new DefinitionError(
      `${owner}: \`maxSteps\` must be a whole number above 0, not ${maxSteps}.`,
    );
  }
  checkDeadline(owner, 'clientToolTimeoutMs', definition.clientToolTimeoutMs);
  checkDeadline(owner, 'approvalTimeoutMs', definition.approvalTimeoutMs);
  checkRetention(owner, definition.completedTombstoneRetentionMs);
  checkAgentTools(owner, definition.tools);
  checkCapabilities(owner, definition as AgentConfig);
  if (outputSchema !== undefined) checkObjectSchema(owner, 'outputSchema', outputSchema);
  if (stateSchema !== undefined) checkStateSchema(owner, stateSchema);
  checkStateOfTools(owner, definition);
  const agent: AgentConfig<State, Output, Tools> = { ...definition, llmConfig };
  collectAgents(agent as AgentConfig);
  return agent;
}

function checkRetention(owner: string, value: number | undefined): void {
  if (value === undefined || (value >= 0 && Number.isFinite(value))) return;
  throw new DefinitionError(
    `${owner}: \`completedTombstoneRetentionMs\` must be 0 or a number of milliseconds, not ${value}.`,
  );
}

function checkModelOptions(owner: string, config: unknown): void {
  if (typeof config !== 'object' || config === null) {
    throw new DefinitionError(
      `${owner}: \`llmConfig\` must be an object, such as { model: openai('…') }.`,
    );
  }
  refuseUnknownOptions(owner, config, MODEL_OPTIONS);
}

function checkStateSchema(owner: string, schema: Schema): void {
  checkSchema(owner, 'stateSchema', schema);
  const defaults = parseNow(schema, {});
  if (defaults === null) return;
  if (!defaults.ok) {
    throw new DefinitionError(
      `${owner}: every field of \`stateSchema\` needs a default: ${describeIssues(defaults.issues)}`,
    );
  }
  const state: unknown = defaults.value;
  if (typeof state !== 'object' || state === null || Array.isArray(state)) {
    throw new DefinitionError(`${owner}: \`stateSchema\` must describe an object.`);
  }
}
