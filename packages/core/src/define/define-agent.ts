import { DefinitionError } from '../errors/setup-errors.ts';
import { describeIssues } from '../errors/issue.ts';
import { collectAgents } from './resolve-agent.ts';
import { checkDeadline, checkSchema, checkShownSchema } from './check-options.ts';
import { checkTool } from './check-tool.ts';
import { parseNow } from './parse-with.ts';
import type { AgentConfig, InferSchema, Schema } from './types.ts';

export type AgentDefinition<State extends Schema = Schema, Output extends Schema = Schema> = Omit<
  AgentConfig<State, Output>,
  'systemPrompt'
> & {
  readonly systemPrompt: string | ((state: InferSchema<State>) => string);
};

/**
 * Checks an agent. Pure data: runs nothing.
 *
 * @example
 * const agent = defineAgent({
 *   name: 'support',
 *   systemPrompt: (state) => `The customer is ${state.customer}.`,
 *   stateSchema: z.object({ customer: z.string().default('unknown') }),
 *   tools: [lookUpOrder, refund],
 *   llmConfig: { model },
 * });
 */
export function defineAgent<State extends Schema = Schema, Output extends Schema = Schema>(
  definition: AgentDefinition<State, Output>,
): AgentConfig<State, Output> {
  const { name, systemPrompt, maxSteps, stateSchema, outputSchema } = definition;
  if (typeof name !== 'string' || name.trim() === '') {
    throw new DefinitionError('An agent needs a name: give defineAgent a non-empty `name`.');
  }
  const owner = `Agent "${name}"`;
  if (typeof systemPrompt !== 'string' && typeof systemPrompt !== 'function') {
    throw new DefinitionError(
      `${owner}: \`systemPrompt\` must be a string or a function of the state.`,
    );
  }
  if (typeof definition.llmConfig !== 'object' || definition.llmConfig === null) {
    throw new DefinitionError(`${owner}: \`llmConfig\` is missing; give it at least a model.`);
  }
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps > 0)) {
    throw new DefinitionError(
      `${owner}: \`maxSteps\` must be a whole number above 0, not ${maxSteps}.`,
    );
  }
  checkDeadline(owner, 'clientToolTimeoutMs', definition.clientToolTimeoutMs);
  checkDeadline(owner, 'approvalTimeoutMs', definition.approvalTimeoutMs);
  checkRetention(owner, definition.completedTombstoneRetentionMs);
  checkTools(owner, definition);
  if (outputSchema !== undefined) checkShownSchema(owner, 'outputSchema', outputSchema);
  if (stateSchema !== undefined) checkStateSchema(owner, stateSchema);
  const agent: AgentConfig<State, Output> = { ...definition };
  collectAgents(agent as AgentConfig);
  return agent;
}

function checkRetention(owner: string, value: number | undefined): void {
  if (value === undefined || (value >= 0 && Number.isFinite(value))) return;
  throw new DefinitionError(
    `${owner}: \`completedTombstoneRetentionMs\` must be 0 or a number of milliseconds, not ${value}.`,
  );
}

function checkTools(owner: string, { tools = [] }: Pick<AgentConfig, 'tools'>): void {
  const seen = new Set<string>();
  for (const tool of tools) {
    checkTool(`${owner}, tool "${tool.name}"`, tool);
    if (seen.has(tool.name)) {
      throw new DefinitionError(
        `${owner}: two tools are named "${tool.name}"; rename one of them.`,
      );
    }
    seen.add(tool.name);
  }
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
