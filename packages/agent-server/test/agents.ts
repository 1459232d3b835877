import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type FunctionModel,
  type LLMAdapter,
} from '@helix-agents/core';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** Text only a session's own reader may see. */
export const CANARY = 'canary-7f3a';

const pickColor = defineTool({
  name: 'pick_color',
  description: 'Asks the person for a color.',
  inputSchema: z.object({ question: z.string() }),
  outputSchema: z.object({ color: z.string() }),
  execute: 'client',
});

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount.',
  inputSchema: z.object({ amount: z.number().positive() }),
  requireApproval: true,
  execute: async ({ amount }) => ({ paid: amount }),
});

const anything = defineTool({
  name: 'anything',
  description: 'Takes any answer.',
  inputSchema: z.object({}),
  execute: 'client',
});

const desk = defineAgent({
  name: 'desk',
  systemPrompt: 'You ask.',
  tools: [pickColor],
  outputSchema: z.object({ color: z.string() }),
  llmConfig: { model: 'scripted' },
});

export const painter: AgentConfig = defineAgent({
  name: 'painter',
  systemPrompt: 'You paint.',
  tools: [pickColor, pay, anything, createSubAgentTool(desk, z.object({ task: z.string() }))],
  llmConfig: { model: 'scripted' },
});

export const agents: { readonly [type: string]: AgentConfig } = { painter };

/**
 * What the user's last message says, happens: `color`, `pay`, `anything`, `both` ask a person, `child` lets a sub-agent
 * ask, `words N` streams N words, `slow` streams until it is stopped, `fail` fails; anything else is answered.
 */
const model: FunctionModel = functionModel(({ messages, agentType }) => {
  const at = messages.findLastIndex((message) => message.role === 'user');
  const wish = String(messages[at]?.content);
  const results = messages.slice(at).filter((message) => message.role === 'tool');
  const calls = callsFor(wish, results.length);
  if (calls.length > 0) return { type: 'tool_calls', toolCalls: calls };
  if (agentType === 'desk') return { type: 'structured_output', output: { color: 'green' } };
  const said = results.map((message) => message.content).join(' ');
  return { type: 'text', content: said === '' ? `${wish} done` : said, shouldStop: true };
});

function callsFor(
  wish: string,
  results: number,
): { id: string; name: string; arguments: Record<string, string | number> }[] {
  const color = { id: 'color', name: 'pick_color', arguments: { question: CANARY } };
  const payment = { id: 'pay', name: 'pay', arguments: { amount: 40 } };
  if (wish === 'twice') {
    if (results === 0) return [payment];
    return results === 1 ? [{ ...payment, id: 'pay-again' }] : [];
  }
  if (results > 0) return [];
  if (wish === 'color' || wish.includes('"ask"')) return [color];
  if (wish === 'pay') return [payment];
  if (wish === 'both') return [color, payment];
  if (wish === 'anything') return [{ id: 'any', name: 'anything', arguments: {} }];
  if (wish === 'child')
    return [{ id: 'child', name: 'subagent__desk', arguments: { task: 'ask' } }];
  return [];
}

const WORD_MS = 30;

/** The scripted model, with streams and failures. */
export const scripted: LLMAdapter = {
  async generateStep(input) {
    const wish = String(input.messages.findLast((message) => message.role === 'user')?.content);
    const { callbacks } = input;
    if (wish === 'fail') throw new Error(`the provider broke ${CANARY}`);
    const words = /^words (\d+)$/.exec(wish);
    if (words) {
      for (let n = 1; n <= Number(words[1]); n += 1) {
        await callbacks.onTextDelta(`word${n} `);
        // Longer than deltas are collected for: one chunk each.
        await delay(WORD_MS);
      }
      return { type: 'text', content: 'spoken', shouldStop: true };
    }
    for (let n = 0; wish === 'slow' && !input.abortSignal.aborted; n += 1) {
      await callbacks.onTextDelta(`tick${n} `);
      await delay(20);
    }
    return model.generateStep(input);
  },
};
