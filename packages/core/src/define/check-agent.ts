import { describeIssues } from '../errors/issue.ts';
import { DefinitionError } from '../errors/setup-errors.ts';
import { checkAgentTools, checkStateOfTools } from './check-agent-tools.ts';
import { checkCapabilities } from './check-capabilities.ts';
import { checkHooks } from './check-hooks.ts';
import { checkObjectSchema } from './check-object-schema.ts';
import { checkDeadline, checkSchema } from './check-options.ts';
import { AGENT_OPTIONS, MODEL_OPTIONS } from './option-names.ts';
import { parseNow } from './parse-with.ts';
import { refuseUnknownOptions } from './refuse-unknown.ts';
import type { AgentConfig, Schema } from './types.ts';

const checked = new WeakSet<object>();

/**
 * Checks an agent, also one that was spread from another or written by hand: a misspelt approval would be off without a word.
 * Once per object, because definitions do not change.
 */
export function checkAgent(agent: AgentConfig): void {
  requireDefinition(agent);
  if (checked.has(agent)) return;
  const { name, systemPrompt, maxSteps, stateSchema, outputSchema, llmConfig } = agent;
  if (typeof name !== 'string' || name.trim() === '') {
    throw new DefinitionError('An agent needs a name: give defineAgent a non-empty `name`.');
  }
  const owner = `Agent "${name}"`;
  refuseUnknownOptions(owner, agent, AGENT_OPTIONS);
  if (typeof systemPrompt !== 'string' && typeof systemPrompt !== 'function') {
    throw new DefinitionError(
      `${owner}: \`systemPrompt\` must be a string or a function of the state.`,
    );
  }
  checkModelOptions(owner, llmConfig);
  checkHooks(owner, agent.hooks);
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps > 0)) {
    throw new DefinitionError(
      `${owner}: \`maxSteps\` must be a whole number above 0, not ${maxSteps}.`,
    );
  }
  checkDeadline(owner, 'clientToolTimeoutMs', agent.clientToolTimeoutMs);
  checkDeadline(owner, 'approvalTimeoutMs', agent.approvalTimeoutMs);
  checkRetention(owner, agent.completedTombstoneRetentionMs);
  checkAgentTools(owner, agent.tools);
  if (outputSchema !== undefined) checkObjectSchema(owner, 'outputSchema', outputSchema);
  if (stateSchema !== undefined) checkStateSchema(owner, stateSchema);
  checkStateOfTools(owner, agent);
  checkCapabilities(owner, agent);
  checked.add(agent);
}

/** An agent, or what one is made of, is an object. */
export function requireDefinition(definition: unknown): asserts definition is object {
  if (isObject(definition)) return;
  throw new DefinitionError(
    `An agent is needed, and ${describe(definition)} was given; make one with defineAgent({ name, systemPrompt, … }).`,
  );
}

function checkRetention(owner: string, value: number | undefined): void {
  if (value === undefined || (value >= 0 && Number.isFinite(value))) return;
  throw new DefinitionError(
    `${owner}: \`completedTombstoneRetentionMs\` must be 0 or a number of milliseconds, not ${value}.`,
  );
}

function checkModelOptions(owner: string, config: unknown): void {
  if (config === undefined) {
    throw new DefinitionError(
      `${owner} was not made by defineAgent: it has no \`llmConfig\`; make it with defineAgent({ name, systemPrompt, … }).`,
    );
  }
  if (!isObject(config)) {
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 60))}`;
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
}
