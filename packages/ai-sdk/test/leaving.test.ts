// If this fails: clients that have left keep reading the store.
import { noopLogger, type ScriptedStep } from '@helix-agents/core';
import { expect, it, vi } from 'vitest';
import { handleChatStream } from '../src/index.ts';
import { assistant } from './support/agents.ts';
import { API, createWorld, until } from './support/world.ts';

it('a chat closes its reader of the stream when its client leaves, also while nothing is said', async () => {
  let go = (): void => {};
  const going = new Promise<void>((resolve) => {
    go = resolve;
  });
  const step: ScriptedStep = async ({ callbacks }) => {
    await callbacks.onTextDelta('before ');
    await going;
    return { type: 'text', content: 'after', shouldStop: true };
  };
  const world = createWorld(assistant, { assistant: [step] });
  const { streamManager } = world.deps;
  const open = streamManager.createResumableReader!.bind(streamManager);
  let readers = 0;
  vi.spyOn(streamManager, 'createResumableReader').mockImplementation(async (...args) => {
    const reader = await open(...args);
    if (!reader) return null;
    readers += 1;
    const close = vi.fn(() => {
      if (close.mock.calls.length === 1) readers -= 1;
      reader.close();
    });
    return { close, [Symbol.asyncIterator]: () => reader[Symbol.asyncIterator]() };
  });
  const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Go' }] };
  const response = await world.fetch(API, {
    method: 'POST',
    body: JSON.stringify({ id: 'chat-1', messages: [message] }),
  });
  const body = response.body!.getReader();
  for (let text = ''; !text.includes('before');) {
    text += new TextDecoder().decode((await body.read()).value);
  }
  const waiting = body.read();
  await until('a reader', () => readers === 1);
  await body.cancel();
  await waiting;
  await until('no reader', () => readers === 0);
  go();
  await until('the end', async () => (await world.snapshot()).status === 'completed');
});

it('a chat drops a reader that takes nothing, and says so', async () => {
  const dropped: unknown[] = [];
  const logger = { ...noopLogger, warn: (...line: unknown[]) => void dropped.push(line) };
  const said: ScriptedStep = { type: 'text', content: 'x'.repeat(400_000), shouldStop: true };
  const world = createWorld(assistant, { assistant: [said] });
  const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Go' }] };
  const deps = { ...world.deps, logger, stallMs: 20, bufferBytes: 1_000 };
  const body = { id: 'chat-1', messages: [message] };
  const response = await handleChatStream(deps, { messages: body.messages, body });
  await until('the drop', () => dropped.length > 0);
  expect(dropped).toEqual([['chat.reader_dropped', { sessionId: 'chat-1' }]]);
  await expect(response.text()).rejects.toThrow('took nothing');
});
