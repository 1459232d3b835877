import {
  defineAgent,
  defineTool,
  type AgentConfig,
  type Durability,
  type LLMAdapter,
  type StepResult,
} from '@helix-agents/core';
import { z } from 'zod';

export const STEPS = 20;
/** About 200 bytes in and 300 bytes out. */
export const TOOL_INPUT: { readonly query: string } = { query: 'q'.repeat(188) };
export const TOOL_OUTPUT: { readonly found: string } = { found: 'f'.repeat(288) };
export const FINAL_TEXT = 'done';

const search = defineTool({
  name: 'search',
  description: 'Finds something.',
  inputSchema: z.object({ query: z.string() }),
  execute: async () => TOOL_OUTPUT,
});

const ask = defineTool({
  name: 'ask',
  description: 'Asks a person.',
  inputSchema: z.object({ question: z.string() }),
  execute: 'client',
});

const refund = defineTool({
  name: 'refund',
  description: 'Pays back, once a person agrees.',
  inputSchema: z.object({ query: z.string() }),
  requireApproval: true,
  execute: async () => TOOL_OUTPUT,
});

/** One server tool, one client tool, one that waits for an approval, no step limit that a benchmark could reach. */
export function benchAgent(name: string, durability: Durability = 'call'): AgentConfig {
  return defineAgent({
    name,
    systemPrompt: 'You are measured.',
    tools: [search, ask, refund],
    llmConfig: { model: 'none' },
    maxSteps: 1_000_000,
    durability,
  });
}

/** Answers at once: `steps` calls of the server tool, then a text. */
export function steppingModel(steps: number, atStep?: (step: number) => void): LLMAdapter {
  return {
    async generateStep({ messages }) {
      const step = Math.floor((messages.length - 2) / 2);
      atStep?.(step);
      return step < steps ? searchCall(step) : finalText;
    },
  };
}

/** Asks `calls` people at once, then says a text. */
export function askingModel(calls: number): LLMAdapter {
  const toolCalls = Array.from({ length: calls }, (_, index) => ({
    id: callId(index),
    name: 'ask',
    arguments: { question: 'May I?' },
  }));
  return {
    async generateStep({ messages }) {
      return messages.length < 3 ? { type: 'tool_calls', toolCalls } : finalText;
    },
  };
}

/** Answers at once: `steps` calls of the server tool, then asks a person; says a text to a second message. */
export function steppingThenAskingModel(steps: number): LLMAdapter {
  const stepping = steppingModel(steps);
  const toolCalls = [{ id: callId(0), name: 'ask', arguments: { question: 'May I?' } }];
  return {
    async generateStep(input) {
      const last = input.messages.at(-1);
      if (last?.role === 'user' && input.messages.length > 2) return finalText;
      const result = await stepping.generateStep(input);
      return result === finalText ? { type: 'tool_calls', toolCalls } : result;
    },
  };
}

/** Calls one tool that a person has to approve, then says a text. */
export function refundingModel(): LLMAdapter {
  const toolCalls = [{ id: callId(0), name: 'refund', arguments: TOOL_INPUT }];
  return {
    async generateStep({ messages }) {
      return messages.length < 3 ? { type: 'tool_calls', toolCalls } : finalText;
    },
  };
}

export function callId(index: number): string {
  return `ask-${index}`;
}

const finalText: StepResult = { type: 'text', content: FINAL_TEXT, shouldStop: true };

function searchCall(step: number): StepResult {
  const call = { id: `call-${step}`, name: 'search', arguments: TOOL_INPUT };
  return { type: 'tool_calls', toolCalls: [call] };
}
