import {
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type FunctionModel,
} from '@helix-agents/sdk';
import { z } from 'zod';

const findOrder = defineTool({
  name: 'find_order',
  description: 'Looks an order up.',
  inputSchema: z.object({ orderId: z.string() }),
  execute: async ({ orderId }) => ({ orderId, total: 40, item: 'a lamp' }),
});

/** Runs when a person has approved it, with the amount that person left standing. */
const refund = defineTool({
  name: 'refund',
  description: 'Pays money back.',
  inputSchema: z.object({ orderId: z.string(), amount: z.number().positive().max(500) }),
  requireApproval: true,
  execute: async ({ orderId, amount }) => ({ orderId, refunded: amount }),
});

export const refundDesk: AgentConfig = defineAgent({
  name: 'refund-desk',
  systemPrompt: 'You handle refunds. Look the order up, then refund it.',
  tools: [findOrder, refund],
  llmConfig: { model: 'scripted' },
});

/** Plays the part of a language model: look up, refund, say so. Put a real one here (docs: models). */
export const model: FunctionModel = functionModel(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role !== 'tool') {
    const orderId = /\d+/.exec(String(last?.content))?.[0] ?? '1';
    const call = { id: 'find', name: 'find_order', arguments: { orderId } };
    return { type: 'tool_calls', toolCalls: [call] };
  }
  if (last.toolName === 'find_order') {
    const { orderId, total } = JSON.parse(last.content) as { orderId: string; total: number };
    const call = { id: 'refund', name: 'refund', arguments: { orderId, amount: total } };
    return { type: 'tool_calls', toolCalls: [call] };
  }
  const refunded = /"refunded":(\d+)/.exec(last.content)?.[1];
  const content = refunded ? `${refunded} are on their way to you.` : 'It was not approved.';
  return { type: 'text', content, shouldStop: true };
});
