// If this fails: a full disk under the log ends runs.
import { defineAgent, defineTool, functionModel, type Logger } from '@helix-agents/core';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

it('a logger that throws at every event fails neither a run, nor an answer, nor a shutdown', async () => {
  const told: string[] = [];
  const broken = (event: string): never => {
    told.push(event);
    throw new Error('the disk is full');
  };
  const logger: Logger = { info: broken, warn: broken, error: broken, debug: broken };
  const agent = defineAgent({
    name: 'clerk',
    systemPrompt: 'You file things.',
    llmConfig: { model: 'scripted' },
    tools: [
      defineTool({ name: 'pick', inputSchema: z.object({}), execute: 'client' }),
      defineTool({
        name: 'measure',
        inputSchema: z.object({}),
        execute: (_, ctx) => ctx.recordUsage({ name: 'odd', value: Number.NaN }),
      }),
    ],
    hooks: {
      onAgentStart: () => {
        throw new Error('no start');
      },
    },
  });
  const model = functionModel(({ messages }) =>
    messages.some((message) => message.role === 'tool')
      ? { type: 'text', content: 'done', shouldStop: true }
      : {
          type: 'tool_calls',
          toolCalls: ['pick', 'measure'].map((name) => ({ id: name, name, arguments: {} })),
        },
  );
  const stores = [new InMemoryStateStore(), new InMemoryStreamManager()] as const;
  const executor = new JSAgentExecutor(...stores, model, { logger });
  const handle = await executor.execute(agent, 'go', { sessionId: 's' });
  expect(await handle.result()).toMatchObject({ status: 'suspended_client_tool' });
  const address = { kind: 'client-tool-result', sessionId: 's' } as const;
  const unknown = await executor.submitToolResult({ ...address, toolCallId: 'no', result: 1 });
  expect(unknown.status).toBe('unknown_tool_call');
  const taken = await executor.submitToolResult({ ...address, toolCallId: 'pick', result: 'red' });
  expect(taken.status).toBe('accepted');
  const resumed = await executor.resume('s');
  expect(await resumed.result()).toEqual({ status: 'completed', output: 'done' });
  await executor.shutdown();
  expect(told).toEqual(
    expect.arrayContaining(['hook.failed', 'usage.dropped', 'client_tool.submit_unknown']),
  );
});
