import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import {
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type FunctionModel,
} from '../../src/index.ts';

/** An agent that runs a quick and a slow tool at once; each writes a line to `ledger` when it starts. */
export function createAssistant(ledger: string, slowMs: number): AgentConfig {
  const tool = (name: string, ms: number) =>
    defineTool({
      name,
      inputSchema: z.object({}),
      execute: async (_input, context) => {
        appendFileSync(ledger, `${name}\n`);
        await delay(ms, undefined, { signal: context.abortSignal });
        return `${name} done`;
      },
    });
  return defineAgent({
    name: 'assistant',
    systemPrompt: 'You use both tools.',
    tools: [tool('quick', 0), tool('slow', slowMs)],
    llmConfig: { model: 'scripted' },
  });
}

export const model: FunctionModel = functionModel(({ messages }) =>
  messages.some((message) => message.role === 'tool')
    ? { type: 'text', content: 'Both are done.', shouldStop: true }
    : {
        type: 'tool_calls',
        toolCalls: [
          { id: '1', name: 'quick', arguments: {} },
          { id: '2', name: 'slow', arguments: {} },
        ],
      },
);
