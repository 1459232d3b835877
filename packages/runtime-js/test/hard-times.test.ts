import {
  defineAgent,
  defineTool,
  functionModel,
  HelixError,
  type Message,
  type StreamChunk,
  type StreamManager,
} from '@helix-agents/core';
import type { MessageRow } from '@helix-agents/core/store';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { openSqlite } from '@helix-agents/store-sqlite';
import { sessionRow } from '@helix-agents/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

/** A stream store that is down, or a session that has grown huge, must never cost a session its state. */

const agent = defineAgent({
  name: 'worker',
  systemPrompt: 'work',
  llmConfig: { model: 'scripted' },
  tools: [defineTool({ name: 'add', inputSchema: z.object({}), execute: () => 'added' })],
});

const model = functionModel(({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? { type: 'text', content: 'done', shouldStop: true }
    : { type: 'tool_calls', toolCalls: [{ id: 'c', name: 'add', arguments: {} }] },
);

it('STRM-10 a run goes to its end while the stream store is down, and its end is announced once the store is back', async () => {
  const stateStore = new InMemoryStateStore();
  const streams = new InMemoryStreamManager();
  let down = true;
  const failing = new Proxy(streams, {
    get(target, name: keyof StreamManager) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]): Promise<unknown> => {
        if (down) throw new Error('the stream store is down');
        return Reflect.apply(method, target, args);
      };
    },
  });
  const executor = new JSAgentExecutor(stateStore, failing, model);
  const handle = await executor.execute(agent, 'go', { sessionId: 's' });
  expect(await handle.result()).toEqual({ status: 'completed', output: 'done' });
  const messages = await stateStore.sessions.readMessages({ rootId: 's', sessionId: 's' });
  expect(messages.map((row) => row.message.role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);

  down = false;
  const again = await executor.execute(agent, 'once more', { sessionId: 's' });
  const chunks: StreamChunk[] = [];
  for await (const chunk of (await again.stream({ afterSequence: 0 })) ?? []) chunks.push(chunk);
  expect(chunks.filter((chunk) => chunk.type === 'run_completed')).toHaveLength(1);
  expect((await again.result()).status).toBe('completed');
});

it('STRM-10 a stream store that is down for a moment costs no end of a tool, and the order stays', async () => {
  const streams = new InMemoryStreamManager();
  let down = false;
  const lost = Promise.withResolvers<void>();
  const failing = new Proxy(streams, {
    get(target, name: keyof StreamManager) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]): Promise<unknown> => {
        if (down) throw new HelixError({ code: 'store_unavailable', message: 'down' });
        return Reflect.apply(method, target, args);
      };
    },
  });
  const logger = { info() {}, warn: () => lost.resolve(), error() {} };
  const breaking = functionModel(async ({ messages }) => {
    if (messages.at(-1)?.role !== 'tool') {
      return { type: 'tool_calls', toolCalls: [{ id: 'c', name: 'cut', arguments: {} }] };
    }
    await lost.promise;
    down = false;
    return { type: 'text', content: 'done', shouldStop: true };
  });
  const cut = defineTool({
    name: 'cut',
    inputSchema: z.object({}),
    execute: () => {
      down = true;
      return 'cut';
    },
  });
  const breaker = defineAgent({
    name: 'breaker',
    systemPrompt: 'break',
    llmConfig: { model: 'scripted' },
    tools: [cut],
  });
  const stores = { stateStore: new InMemoryStateStore(), streamManager: failing };
  const executor = new JSAgentExecutor({ ...stores, llmAdapter: breaking, logger });
  const handle = await executor.execute(breaker, 'go', { sessionId: 's' });
  expect(await handle.result()).toEqual({ status: 'completed', output: 'done' });
  const types = (await streams.readChunks('s')).map(({ chunk }) => chunk.type);
  expect(types.slice(types.indexOf('tool_end'))).toEqual([
    'tool_end',
    'step_committed',
    'text_delta',
    'step_committed',
    'output',
    'run_completed',
  ]);
});

it('RECV-11 recovery takes up a session of 5,000 messages and appends after them', async () => {
  const { stateStore, streamManager, close } = openSqlite(':memory:');
  const turn = (sequence: number): Message =>
    sequence % 2 === 1
      ? { role: 'user', content: `question ${sequence}` }
      : { role: 'assistant', content: `answer ${sequence}` };
  const messages = Array.from({ length: 4_999 }, (_, index): MessageRow => {
    const sequence = index + 1;
    return { sessionId: 's', sequence, message: turn(sequence), createdAt: 0 };
  });
  const dead = sessionRow({
    sessionId: 's',
    rootId: 's',
    agentType: agent.name,
    streamId: 's',
    status: 'running',
    hostKind: 'js',
    started: true,
    leaseOwner: 'a process that is gone',
    leaseUntil: 1,
    stepId: 2_500,
    messageCount: messages.length,
  });
  const now = Date.now();
  await stateStore.sessions.commit({
    kind: 'create',
    rootId: 's',
    commitId: 'seed',
    now,
    guard: { sessions: [{ sessionId: 's', absent: true }] },
    insert: { sessions: [dead], messages },
  });
  const executor = new JSAgentExecutor(stateStore, streamManager, model, {
    agentRegistry: { worker: agent },
  });
  const recovered = executor.recover();
  // Other sessions are served meanwhile.
  const other = await executor.execute(agent, 'hello', { sessionId: 'other' });
  expect((await other.result()).status).toBe('completed');
  await recovered;
  const handle = await executor.getHandle(agent, 's');
  expect(await handle?.result()).toEqual({ status: 'completed', output: 'done' });
  const after = await stateStore.sessions.readMessages(
    { rootId: 's', sessionId: 's' },
    { after: 4_999 },
  );
  expect(after.map((row) => [row.sequence, row.message.role])).toEqual([
    [5_000, 'assistant'],
    [5_001, 'tool'],
    [5_002, 'assistant'],
  ]);
  close();
});
