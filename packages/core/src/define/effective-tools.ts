import type { LLMTool } from '../llm/adapter.ts';
import { createFinishTool } from './finish-tool.ts';
import { toJsonSchema } from './json-schema.ts';
import type { AgentConfig, Tool } from './types.ts';

/** The tools of an agent and those the framework adds. */
export function buildEffectiveTools(agent: AgentConfig): readonly Tool[] {
  const tools = agent.tools ?? [];
  if (!agent.outputSchema) return tools;
  const strict = agent.llmConfig.strictOutput === true;
  return [...tools, createFinishTool(agent.outputSchema, { strict })];
}

/** The tools of one agent as its steps need them. */
export interface AgentTools {
  readonly byName: ReadonlyMap<string, Tool>;
  readonly forModel: readonly LLMTool[];
}

const prepared = new WeakMap<AgentConfig, AgentTools>();

/** Made once per definition: definitions do not change. */
export function toolsOf(agent: AgentConfig): AgentTools {
  let tools = prepared.get(agent);
  if (!tools) {
    const all = buildEffectiveTools(agent);
    const byName = new Map(all.map((tool) => [tool.name, tool]));
    tools = { byName, forModel: all.map(toLLMTool) };
    prepared.set(agent, tools);
  }
  return tools;
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
