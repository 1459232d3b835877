import {
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type LLMAdapter,
} from '@helix-agents/core';
import { z } from 'zod';

const findOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order by its number.',
  inputSchema: z.object({ order: z.string() }),
  execute: async ({ order }) => ({ order, customer: 'Ada', paid: 120 }),
});

const refund = defineTool({
  name: 'refund',
  description: 'Pays money back.',
  inputSchema: z.object({ order: z.string(), amount: z.number() }),
  requireApproval: ({ amount }) => amount > 100,
  execute: async ({ order, amount }, { idempotencyKey }) => {
    console.log(`   worker: paid ${amount} back for ${order} (key ${idempotencyKey})`);
    return { paid: amount };
  },
});

export const refundDesk: AgentConfig = defineAgent({
  name: 'refund-desk',
  systemPrompt: 'You decide on refunds.',
  llmConfig: { model: 'scripted' },
  tools: [findOrder, refund],
}) as AgentConfig;

/** Stands in for a model, so that the example needs no key. */
export const model: LLMAdapter = functionModel(({ messages }) => {
  const answers = messages.filter((message) => message.role === 'assistant').length;
  const call = (name: string, input: object) => ({
    type: 'tool_calls' as const,
    toolCalls: [{ id: `${name}-1`, name, arguments: { ...input } }],
  });
  if (answers === 0) return call('find_order', { order: '42' });
  if (answers === 1) return call('refund', { order: '42', amount: 120 });
  return { type: 'text', content: 'Ada has her 120 back.', shouldStop: true };
});
