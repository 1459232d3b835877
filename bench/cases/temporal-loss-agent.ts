import { defineAgent, defineTool, type AgentConfig } from '@helix-agents/core';
import { z } from 'zod';
import { TOOL_OUTPUT } from '../lib/agents.ts';

/** The agent of which a worker is killed inside the tool. */
export function lossAgent(inTool: () => Promise<void>): AgentConfig {
  const search = defineTool({
    name: 'search',
    inputSchema: z.object({ query: z.string() }),
    execute: async () => {
      await inTool();
      return TOOL_OUTPUT;
    },
  });
  return defineAgent({
    name: 'loss',
    systemPrompt: 'You are measured.',
    tools: [search],
    llmConfig: { model: 'none' },
  });
}
