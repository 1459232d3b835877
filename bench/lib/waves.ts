import {
  createSubAgentTool,
  defineAgent,
  type AgentConfig,
  type LLMAdapter,
} from '@helix-agents/core';
import { z } from 'zod';

const child = defineAgent({
  name: 'child',
  systemPrompt: 'You are measured.',
  tools: [],
  llmConfig: { model: 'none' },
  outputSchema: z.object({ said: z.string() }),
});

/** Has one tool, a sub-agent that answers at once. */
export const parent: AgentConfig = defineAgent({
  name: 'parent',
  systemPrompt: 'You are measured.',
  tools: [createSubAgentTool(child, z.object({ n: z.number() }))],
  llmConfig: { model: 'none' },
});

/** Starts that many children in one step, then says a text. */
export function waveModel(children: number): LLMAdapter {
  const toolCalls = Array.from({ length: children }, (_, n) => ({
    id: `call-${n}`,
    name: 'subagent__child',
    arguments: { n },
  }));
  return {
    async generateStep({ agentType, messages }) {
      if (agentType === 'child') return { type: 'structured_output', output: { said: 'here' } };
      return messages.length < 3
        ? { type: 'tool_calls', toolCalls }
        : { type: 'text', content: 'done', shouldStop: true };
    },
  };
}
