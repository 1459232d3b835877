// If this fails: an application with a stream manager of its own hangs where a person is asked, or reads an older run again.
import {
  defineAgent,
  defineTool,
  functionModel,
  type AgentExecutionHandle,
  type StreamChunk,
  type StreamManager,
} from '@helix-agents/core';
import { StreamNotActiveError } from '@helix-agents/core';
import { InMemoryStateStore } from '@helix-agents/store-memory';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

/** The four methods that a manager needs, over a list. */
function fewStreams(): StreamManager {
  const chunks: StreamChunk[] = [];
  const waiting: (() => void)[] = [];
  let isOpen = true;
  const wake = (): void => waiting.splice(0).forEach((go) => go());
  const close = async (): Promise<void> => {
    isOpen = false;
    wake();
  };
  async function* read(): AsyncGenerator<StreamChunk> {
    for (let next = 0; ; next += 1) {
      while (next >= chunks.length) {
        if (!isOpen) return;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      yield chunks[next] as StreamChunk;
    }
  }
  return {
    createWriter: async (streamId) => ({
      async write(chunk) {
        if (!isOpen) throw new StreamNotActiveError(streamId, 'ended');
        chunks.push(chunk);
        wake();
      },
      close: async () => {},
    }),
    createReader: async () => ({ close() {}, [Symbol.asyncIterator]: read }),
    endStream: close,
    failStream: close,
  };
}

const send = defineTool({
  name: 'send',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'sent',
});
const agent = defineAgent({
  name: 'agent',
  systemPrompt: '',
  tools: [send],
  llmConfig: { model: 'm' },
});
const model = functionModel(({ messages }) =>
  messages.some(({ role }) => role === 'tool')
    ? { type: 'text', content: 'done', shouldStop: true }
    : { type: 'tool_calls', toolCalls: [{ id: 'call', name: 'send', arguments: {} }] },
);

async function typesOf(handle: AgentExecutionHandle, after?: number): Promise<readonly string[]> {
  const types: string[] = [];
  const options = after === undefined ? {} : { afterSequence: after };
  for await (const chunk of (await handle.stream(options)) ?? []) types.push(chunk.type);
  return types;
}

it('a stream manager with four methods: a handle reads each run to its end, also where one waits for a person', async () => {
  const executor = new JSAgentExecutor(new InMemoryStateStore(), fewStreams(), model);
  const first = await executor.execute(agent, 'go', { sessionId: 's' });
  const asked = await typesOf(first);
  expect(asked[0]).toBe('run_started');
  expect(asked).toContain('tool_approval_request');
  expect(asked.at(-1)).toBe('run_suspended');
  const call = { sessionId: 's', toolCallId: 'call' };
  await executor.submitToolResult({ kind: 'approval-response', ...call, approved: true });
  const second = await executor.resume('s');
  const resumed = await typesOf(second);
  expect(resumed[0]).toBe('run_resumed');
  expect(resumed.at(-1)).toBe('run_completed');
  expect((await typesOf(second, 0))[0], 'all, when asked for').toBe('run_started');
  expect((await typesOf(first)).at(-1), 'still its own').toBe('run_suspended');
  await expect(second.stream({ afterSequence: 1 })).rejects.toMatchObject({
    code: 'stream_not_resumable',
  });
});

it('a stream manager with four methods: the executor logs once what is missing', () => {
  const warned: unknown[] = [];
  const logger = {
    info: () => {},
    error: () => {},
    warn: (...line: unknown[]) => void warned.push(line),
  };
  new JSAgentExecutor(new InMemoryStateStore(), fewStreams(), model, { logger });
  const missing = ['append', 'createResumableReader', 'pauseStream', 'reactivateStream'];
  expect(warned).toEqual([['stream.limited', expect.objectContaining({ missing })]]);
});
