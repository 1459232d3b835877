// If this fails: an answer that is asked for again begins in the wrong place, or drags the old one along.
import { defineAgent, defineTool, type AgentConfig } from '@helix-agents/core';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { getUIMessages } from '../src/index.ts';
import { assistant, calls, text } from './support/agents.ts';
import { sdks } from './support/sdks.ts';
import { API, createWorld, inShort, settled, type World } from './support/world.ts';

const note = defineTool({
  name: 'note',
  inputSchema: z.object({ word: z.string() }),
  execute: ({ word }, ctx) => {
    ctx.updateState((draft: { words: string[] }) => void draft.words.push(word));
    return { noted: word };
  },
});

const writer: AgentConfig = defineAgent({
  name: 'writer',
  systemPrompt: 'Note words.',
  stateSchema: z.object({ words: z.array(z.string()).default([]) }),
  tools: [note, ...assistant.tools!.filter(({ name }) => name === 'pay')],
  llmConfig: { model: 'scripted' },
});

/** A turn that notes this word. */
function noting(word: string): Parameters<typeof createWorld>[1][string] {
  return [calls({ id: `n-${word}`, name: 'note', arguments: { word } }), text(`Noted ${word}.`)];
}

function noted(world: World): Promise<unknown> {
  return world.snapshot().then(({ state }) => state);
}

for (const sdk of sdks) {
  describe(`answering again, through ${sdk.name}`, () => {
    it('goes back to the state before the message', async () => {
      const world = createWorld(writer, {
        writer: [...noting('one'), ...noting('two'), ...noting('deux'), ...noting('un')],
      });
      const chat = world.chat(sdk);
      await chat.sendMessage({ text: 'First' });
      await chat.sendMessage({ text: 'Second' });
      expect(await noted(world)).toEqual({ words: ['one', 'two'] });
      await chat.regenerate();
      expect(await noted(world)).toEqual({ words: ['one', 'deux'] });
      // Of an older message: all that came after it goes.
      await chat.regenerate({ messageId: chat.messages[1]!.id });
      expect(await noted(world)).toEqual({ words: ['un'] });
      expect(chat.messages.map(inShort)).toEqual([
        'First',
        '[step] tool-note:output-available [step] Noted un.',
      ]);
      const { messages } = await getUIMessages(world.deps, 'chat-1');
      expect(messages.map(inShort)).toEqual(chat.messages.map(inShort));
      await world.validate();
    });

    it('drops what waited for a person, and its state', async () => {
      const world = createWorld(writer, {
        writer: [
          calls({ id: 'n1', name: 'note', arguments: { word: 'old' } }),
          calls({ id: 'p1', name: 'pay', arguments: { amount: 5 } }),
          ...noting('new'),
        ],
      });
      const chat = world.chat(sdk);
      await chat.sendMessage({ text: 'Pay' });
      expect(inShort(chat.lastMessage)).toContain('tool-pay:approval-requested');
      await chat.regenerate();
      await settled(chat);
      expect(inShort(chat.lastMessage)).toBe('[step] tool-note:output-available [step] Noted new.');
      expect(await noted(world)).toEqual({ words: ['new'] });
      const { items } = await world.executor.listOpenCalls({ rootSessionId: 'chat-1' });
      expect(items).toEqual([]);
      const { items: checkpoints } = await world.deps.stateStore.listCheckpoints('chat-1');
      expect(checkpoints.map(({ messageCount }) => messageCount)).toEqual([4, 3]);
      await world.validate();
    });
  });
}

describe('answering again', () => {
  it('leaves a session that was created with a state of its own what it has', async () => {
    const world = createWorld(writer, { writer: [...noting('one'), ...noting('two')] });
    const customState = { words: ['given'] };
    await world.deps.stateStore.createSession('chat-1', { agentType: 'writer', customState });
    // By the clock of the store they are apart.
    const { createdAt } = (await world.deps.stateStore.loadState('chat-1'))!;
    while (Date.now() <= createdAt) await new Promise((resolve) => void setTimeout(resolve, 1));
    const chat = world.chat(sdks[1]!);
    await chat.sendMessage({ text: 'First' });
    await chat.regenerate();
    expect(await noted(world)).toEqual({ words: ['given', 'one', 'two'] });
  });
});

describe('a long conversation', () => {
  it('is attached to without reading all its runs', async () => {
    const turns = 40;
    const world = createWorld(assistant, {
      assistant: Array.from({ length: turns }, (_, turn) => text(`Answer ${turn}.`)),
    });
    const chat = world.chat(sdks[1]!);
    for (let turn = 0; turn < turns; turn += 1) await chat.sendMessage({ text: `Turn ${turn}` });
    const readRuns = vi.spyOn(world.deps.stateStore.sessions, 'readRuns');
    const response = await world.fetch(`${API}/chat-1/stream`);
    expect(await response.text()).toContain(`Answer ${turns - 1}.`);
    const read = await Promise.all(readRuns.mock.results.map(({ value }) => value));
    expect(read.flat().length).toBeGreaterThan(0);
    expect(read.flat().length).toBeLessThan(turns / 2);
  });
});
