import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  type AgentConfig,
  type JsonObject,
  type Schema,
  type Tool,
  type ToolContext,
} from '@helix-agents/core';

interface FieldTypes {
  string: string;
  number: number;
}

/** An object with these fields; others are let through. */
export function fields<const F extends { readonly [name: string]: keyof FieldTypes }>(
  given: F,
): Schema<{ [Name in keyof F]: FieldTypes[F[Name]] }> {
  const names = Object.keys(given);
  const properties = Object.fromEntries(
    names.map((name) => [name, { type: given[name] ?? 'null' }]),
  );
  return schema({ type: 'object', properties, required: names }, (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return 'must be an object';
    const wrong = names.find((name) => typeof Reflect.get(value, name) !== given[name]);
    return wrong === undefined ? null : `${wrong} must be a ${given[wrong]}`;
  });
}

/** A state whose fields have these defaults, and are of their types. */
export function state<T extends JsonObject>(defaults: T): Schema<T> {
  const read = (value: unknown): T => ({ ...defaults, ...(value as T) });
  const fault = (value: unknown): string | null => {
    const wrong = Object.entries(read(value)).find(
      ([name, field]) => name in defaults && typeof field !== typeof defaults[name],
    );
    return wrong ? `${wrong[0]} must be a ${typeof defaults[wrong[0]]}` : null;
  };
  return schema({ type: 'object' }, fault, read);
}

/** A schema that makes something of its own of each value it is given. */
export function reads<T>(read: (value: unknown) => T): Schema<T> {
  return schema({ type: 'object' }, () => null, read);
}

function schema<T>(
  json: JsonObject,
  fault: (value: unknown) => string | null,
  read: (value: unknown) => T = (value) => value as T,
): Schema<T> {
  const standard = {
    version: 1 as const,
    vendor: 'helix-testing',
    jsonSchema: { input: () => json },
    validate: (value: unknown) => {
      const message = fault(value);
      return message === null ? { value: read(value) } : { issues: [{ message }] };
    },
  };
  return { '~standard': standard };
}

type Execute = (input: JsonObject, context: ToolContext) => unknown;
type ToolExtras = Partial<Omit<Tool, 'name' | 'execute'>>;

/** A server tool that takes any object. */
export function serverTool(name: string, execute: Execute, extras: ToolExtras = {}): Tool {
  return defineTool({ inputSchema: fields({}), ...extras, name, execute } as Parameters<
    typeof defineTool
  >[0]) as Tool;
}

/** A tool a person approves first. */
export function gatedTool(name: string, execute: Execute, extras: ToolExtras = {}): Tool {
  return serverTool(name, execute, { requireApproval: true, ...extras });
}

export function clientTool(name: string, extras: ToolExtras = {}): Tool {
  return defineTool({ inputSchema: fields({}), ...extras, name, execute: 'client' } as Parameters<
    typeof defineTool
  >[0]) as Tool;
}

type AgentExtras = Partial<Omit<AgentConfig, 'name' | 'tools'>>;

export function agent(name: string, tools: readonly Tool[], extras: AgentExtras = {}): AgentConfig {
  return defineAgent({
    systemPrompt: `You are ${name}.`,
    llmConfig: { model: 'scripted' },
    ...extras,
    name,
    tools,
  } as Parameters<typeof defineAgent>[0]) as AgentConfig;
}

/** An agent that can be called by another: it ends with `{ said }`. */
export function helper(
  name: string,
  tools: readonly Tool[] = [],
  extras: AgentExtras = {},
): AgentConfig {
  return agent(name, tools, { outputSchema: fields({ said: 'string' }), ...extras });
}

export function subAgent(child: AgentConfig, options: { readonly timeoutMs?: number } = {}): Tool {
  return createSubAgentTool(child, fields({}), options) as Tool;
}
