import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  type AgentConfig,
  type ScriptedStep,
  type Tool,
} from '@helix-agents/core';
import { z } from 'zod';

export const executed: string[] = [];

const weather: Tool = defineTool({
  name: 'weather',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }, ctx) => {
    await ctx.emit('progress', { id: ctx.toolCallId, text: `asking about ${city}` });
    return { city, degrees: 21 };
  },
});

const pickColor: Tool = defineTool({
  name: 'pickColor',
  inputSchema: z.object({ question: z.string() }),
  outputSchema: z.object({ color: z.string() }),
  execute: 'client',
});

const pay: Tool = defineTool({
  name: 'pay',
  inputSchema: z.object({ amount: z.number() }),
  requireApproval: true,
  execute: ({ amount }, ctx) => {
    executed.push(`${ctx.sessionId}:${amount}`);
    return { paid: amount };
  },
});

const buyer: AgentConfig = defineAgent({
  name: 'buyer',
  systemPrompt: 'Buy.',
  tools: [pay, pickColor, weather],
  outputSchema: z.object({ done: z.boolean() }),
  llmConfig: { model: 'scripted' },
});

export const assistant: AgentConfig = defineAgent({
  name: 'assistant',
  systemPrompt: 'Help.',
  tools: [weather, pickColor, pay, createSubAgentTool(buyer, z.object({ task: z.string() }))],
  llmConfig: { model: 'scripted' },
});

export function text(content: string): ScriptedStep {
  return { type: 'text', content, shouldStop: true };
}

export function calls(
  ...toolCalls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: object;
  }[]
): ScriptedStep {
  return { type: 'tool_calls', toolCalls: toolCalls as never };
}

export function finish(output: object): ScriptedStep {
  return { type: 'structured_output', output: output as never };
}
