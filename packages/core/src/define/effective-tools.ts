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

/** A tool as the model sees it. */
export function toLLMTool(tool: Tool): LLMTool {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: toJsonSchema(tool.inputSchema),
    ...(tool.strict !== undefined && { strict: tool.strict }),
  };
}
