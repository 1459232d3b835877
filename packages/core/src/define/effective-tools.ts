import type { Capability } from '../capability/types.ts';
import { DefinitionError } from '../errors/setup-errors.ts';
import type { LLMTool } from '../llm/adapter.ts';
import { capabilitiesOf, definedTools } from './agent-capabilities.ts';
import { createFinishTool } from './finish-tool.ts';
import { toJsonSchema } from './json-schema.ts';
import type { AgentConfig, Tool } from './types.ts';

/** Tools that functions of capabilities returned for a session, by the name of the capability. */
export type SessionTools = ReadonlyMap<string, readonly Tool[]>;

const NO_TOOLS: SessionTools = new Map();

/**
 * The tools of an agent and those the framework adds: its own, those of its capabilities, and the one that hands in its output.
 * Two of one name are refused.
 */
export function buildEffectiveTools(
  agent: AgentConfig,
  ofSession: SessionTools = NO_TOOLS,
): readonly Tool[] {
  const tools = agent.tools ?? [];
  const brought = capabilitiesOf(agent).flatMap((capability) => toolsIn(capability, ofSession));
  const all = brought.length > 0 ? withNamesOfTheirOwn(agent, [...tools, ...brought]) : tools;
  if (!agent.outputSchema) return all;
  const strict = agent.llmConfig?.strictOutput === true;
  return [...all, createFinishTool(agent.outputSchema, { strict })];
}

function toolsIn(capability: Capability, ofSession: SessionTools): readonly Tool[] {
  return ofSession.get(capability.name) ?? definedTools(capability);
}

function withNamesOfTheirOwn(agent: AgentConfig, tools: readonly Tool[]): readonly Tool[] {
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name)) {
      throw new DefinitionError(
        `Agent "${agent.name}": two tools are named "${name}", one of them from a capability; rename one of them.`,
      );
    }
    seen.add(name);
  }
  return tools;
}

/** A tool by its name, among those that are part of the definition. */
export function findDefinedTool(agent: AgentConfig, toolName: string): Tool | undefined {
  return buildEffectiveTools(agent).find(({ name }) => name === toolName);
}

/** The tools of one agent as its steps need them. */
export interface AgentTools {
  readonly byName: ReadonlyMap<string, Tool>;
  readonly forModel: readonly LLMTool[];
}

const prepared = new WeakMap<AgentConfig, AgentTools>();

/** Those that are part of the definition. Made once: definitions do not change. */
export function toolsOf(agent: AgentConfig): AgentTools {
  let tools = prepared.get(agent);
  if (!tools) {
    const all = buildEffectiveTools(agent);
    tools = { byName: byName(all), forModel: all.map(toLLMTool) };
    prepared.set(agent, tools);
  }
  return tools;
}

/** With those of a session; `shown` is how the model knows them. */
export function toolsOfSession(
  agent: AgentConfig,
  ofSession: SessionTools,
  shown: ReadonlyMap<string, LLMTool>,
): AgentTools {
  const all = buildEffectiveTools(agent, ofSession);
  const forModel = all.map((tool) => shown.get(tool.name) ?? toLLMTool(tool));
  return { byName: byName(all), forModel };
}

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** A tool as the model sees it. */
export function toLLMTool(tool: Tool): LLMTool {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: toJsonSchema(tool.inputSchema),
    ...(tool.strict !== undefined && { strict: tool.strict }),
  };
}
