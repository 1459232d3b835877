// If this fails: people approve an input in the page and another one runs, or they are given a form that is always refused.
import { defineTool, type AgentConfig } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { assistant, calls, text } from './support/agents.ts';
import { sdks } from './support/sdks.ts';
import { createWorld, inShort, settled } from './support/world.ts';

const ran: unknown[] = [];
const shopper: AgentConfig = {
  ...assistant,
  tools: [
    defineTool({
      name: 'order',
      inputSchema: z.object({
        pieces: z.coerce.number(),
        wrapping: z.string().default('paper'),
      }),
      requireApproval: true,
      execute: (input) => {
        ran.push(input);
        return 'ordered';
      },
    }),
  ],
};
const raw = { pieces: '5' };
const shown = { pieces: 5, wrapping: 'paper' };

for (const sdk of sdks) {
  describe(`a call whose schema changes its input, through ${sdk.name}`, () => {
    it('is shown as it will run, with its raw input for editing, live, after a refresh and when it is over', async () => {
      const world = createWorld(shopper, {
        assistant: [calls({ id: 'o1', name: 'order', arguments: raw }), text('Done.')],
      });
      const chat = world.chat(sdk, { id: 'shop' });
      await chat.sendMessage({ text: 'Order' });
      expect(inShort(chat.lastMessage)).toBe('[step] tool-order:approval-requested data-raw-input');
      const parts = chat.lastMessage?.parts ?? [];
      expect(parts[1]).toMatchObject({ toolCallId: 'o1', input: shown });
      expect(parts[2]).toMatchObject({ id: 'o1', data: raw });
      const { messages } = await world.snapshot('shop');
      expect(messages.at(-1)?.parts).toMatchObject([
        { type: 'step-start' },
        { input: shown, state: 'approval-requested' },
        { type: 'data-raw-input', data: raw },
      ]);
      const { approval } = parts[1] as { approval: { id: string } };
      await chat.addToolApprovalResponse({ id: approval.id, approved: true });
      await settled(chat);
      expect(ran.splice(0)).toEqual([shown]);
      const after = await world.snapshot('shop');
      expect(after.messages.at(-1)?.parts[1]).toMatchObject({ input: shown, output: 'ordered' });
      await world.validate();
    });
  });
}
