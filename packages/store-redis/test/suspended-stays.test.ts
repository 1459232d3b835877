import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  functionModel,
  noopLogger,
  type Schema,
} from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { createRedisSpace, describeServer } from '@helix-agents/test-servers';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { openRedis } from '../src/index.ts';

describeServer('redis', () => {
  // If this fails: a session that waits for a person expires before the person answers.
  it('no key of a suspended session expires, also in its second turn', async () => {
    const space = await createRedisSpace();
    const client = new Redis(space.url);
    const stores = openRedis(client, { prefix: space.prefix, logger: noopLogger, ttlMs: 60_000 });
    onTestFinished(async () => {
      stores.close();
      client.disconnect();
      await space.drop();
    });
    const { stateStore, streamManager, usageStore } = stores;
    const executor = new JSAgentExecutor({ stateStore, streamManager, usageStore, llmAdapter });

    const first = await executor.execute(greeter, 'Hi', { sessionId: 's' });
    expect(await first.result()).toMatchObject({ status: 'completed' });
    await expect.poll(() => expiring(client, space.prefix)).not.toEqual([]);

    const second = await executor.execute(desk, 'Book', { sessionId: 's' });
    expect(await second.result()).toMatchObject({ suspended: expect.anything() });
    const { items } = await executor.listOpenCalls({ rootSessionId: 's' });
    expect(items.map(({ toolName }) => toolName).toSorted()).toEqual(['book', 'look', 'pick']);
    expect((await client.keys(`${space.prefix}:*`)).length).toBeGreaterThan(10);
    expect(await expiring(client, space.prefix)).toEqual([]);
  });
});

async function expiring(client: Redis, prefix: string): Promise<string[]> {
  const keys = await client.keys(`${prefix}:*`);
  const times = await Promise.all(keys.map((key) => client.pttl(key)));
  return keys.filter((_, place) => times[place] !== -1);
}

const standard = {
  version: 1 as const,
  vendor: 'test',
  jsonSchema: { input: () => ({ type: 'object' }) },
  validate: (value: unknown) => ({ value: value as object }),
};
const anyObject: Schema<object> = { '~standard': standard };
const common = { systemPrompt: 'You help.', llmConfig: { model: 'scripted' } };

const scout = defineAgent({
  ...common,
  name: 'scout',
  outputSchema: anyObject,
  tools: [defineTool({ name: 'look', inputSchema: anyObject, execute: 'client' })],
});
const greeter = defineAgent({ ...common, name: 'desk' });
const desk = defineAgent({
  ...common,
  name: 'desk',
  tools: [
    defineTool({ name: 'pick', inputSchema: anyObject, execute: 'client' }),
    defineTool({
      name: 'book',
      inputSchema: anyObject,
      requireApproval: true,
      execute: () => 'booked',
    }),
    createSubAgentTool(scout, anyObject),
  ],
});

/** Asks with every tool it has. */
const llmAdapter = functionModel(({ tools }) => {
  const asked = tools.filter(({ name }) => /^(pick|book|look|subagent__)/.test(name));
  return asked.length === 0
    ? { type: 'text', content: 'Hello.', shouldStop: true }
    : {
        type: 'tool_calls',
        toolCalls: asked.map(({ name }) => ({ id: `of-${name}`, name, arguments: {} })),
      };
});
