// If this fails: a person stops an answer, and what they have read of it disappears, or is shown as if it were whole.
import type { ScriptedStep } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { withoutWithdrawn } from '../src/client.ts';
import { assistant, text } from './support/agents.ts';
import { sdks, type Chat } from './support/sdks.ts';
import { createWorld, inShort, plain, settled, until, type World } from './support/world.ts';

const SAID = 'A long ans';
const THOUGHT = 'Let me see';

/** Says something, begins a call, and goes on when it is stopped. */
const cut: ScriptedStep = async ({ callbacks, abortSignal }) => {
  await callbacks.onTextDelta(SAID);
  await callbacks.onToolInputStart({ index: 0, id: 'w1', name: 'weather' });
  await callbacks.onToolInputDelta({ index: 0, delta: '{"ci' });
  return new Promise((_, reject) => {
    abortSignal.addEventListener('abort', () => reject(new Error('stopped')));
  });
};

/** Thinks, and is stopped before it says anything. */
const cutInThought: ScriptedStep = async ({ callbacks, abortSignal }) => {
  await callbacks.onThinking(THOUGHT, false);
  return new Promise((_, reject) => {
    abortSignal.addEventListener('abort', () => reject(new Error('stopped')));
  });
};

async function stopInTheMiddle(world: World, chat: Chat, at = 'tool-weather'): Promise<void> {
  const sending = chat.sendMessage({ text: 'Tell me' });
  await until(`a part ${at}`, () => inShort(chat.lastMessage).includes(at));
  await world.executor.interrupt('chat-1');
  await sending;
  await settled(chat);
}

const shown = (messages: readonly { role: string; parts: readonly object[] }[]): string[] =>
  withoutWithdrawn(messages.map((message) => plain(message))).map(inShort);

const STOPPED = ['Tell me', `[step] ${SAID} data-stopped`];

for (const sdk of sdks) {
  describe(`an answer that is stopped in mid-sentence, through ${sdk.name}`, () => {
    it('keeps its text on the page, after a refresh and after the next message, marked as stopped (INTR-08)', async () => {
      const world = createWorld(assistant, { assistant: [cut, text('Hello.')] });
      const chat = world.chat(sdk);
      await stopInTheMiddle(world, chat);
      expect(shown(chat.messages), 'on the page').toEqual(STOPPED);
      const snapshot = await world.snapshot();
      expect(snapshot.status).toBe('interrupted');
      expect(snapshot.messages.map(inShort), 'in the snapshot').toEqual(STOPPED);
      const refreshed = world.chat(sdk, { snapshot });
      await refreshed.resumeStream();
      await settled(refreshed);
      expect(shown(refreshed.messages), 'after a refresh').toEqual(STOPPED);
      await refreshed.sendMessage({ text: 'Hello' });
      await settled(refreshed);
      const all = [...STOPPED, 'Hello', '[step] Hello.'];
      expect(shown(refreshed.messages), 'after the next message').toEqual(all);
      expect((await world.snapshot()).messages.map(inShort)).toEqual(all);
      expect(await sdk.isValidHistory((await world.snapshot()).messages)).toBe(true);
      const prompt = world.model.calls.at(-1)?.messages.slice(1) ?? [];
      expect(prompt.map(({ content }) => content)).toEqual(['Tell me', SAID, 'Hello']);
      await world.validate();
    });

    it('keeps its reasoning, marked as stopped, where that is all there is', async () => {
      const world = createWorld(assistant, { assistant: [cutInThought, text('Hello.')] });
      const chat = world.chat(sdk);
      await stopInTheMiddle(world, chat, THOUGHT);
      const inThought = ['Tell me', `[step] (${THOUGHT}) data-stopped`];
      expect(shown(chat.messages), 'on the page').toEqual(inThought);
      expect((await world.snapshot()).messages.map(inShort), 'in the snapshot').toEqual(inThought);
      await chat.sendMessage({ text: 'Hello' });
      await settled(chat);
      const all = [...inThought, 'Hello', '[step] Hello.'];
      expect(shown(chat.messages), 'after the next message').toEqual(all);
      expect((await world.snapshot()).messages.map(inShort)).toEqual(all);
      expect(await sdk.isValidHistory((await world.snapshot()).messages)).toBe(true);
    });

    it('is there without the stream, and where text is not replayed', async () => {
      const world = createWorld(assistant, { assistant: [cut] }, { contentReplayEnabled: false });
      await stopInTheMiddle(world, world.chat(sdk));
      expect((await world.snapshot()).messages.map(inShort)).toEqual(STOPPED);
      await world.deps.streamManager.deleteStream?.('chat-1');
      expect((await world.snapshot()).messages.map(inShort)).toEqual(STOPPED);
    });

    it('is withdrawn when the agent is asked to go on', async () => {
      const world = createWorld(assistant, { assistant: [cut, text('Hello.')] });
      const chat = world.chat(sdk);
      await stopInTheMiddle(world, chat);
      await (await world.executor.resume('chat-1')).result();
      const { messages } = await world.snapshot();
      const parts = messages.at(-1)?.parts.filter(({ type }) => type !== 'step-start');
      expect(parts).toMatchObject([{ type: 'text', text: 'Hello.' }]);
      await chat.resumeStream();
      await settled(chat);
      expect(shown(chat.messages).at(-1), 'on a page that had seen it').not.toContain(SAID);
    });
  });
}
