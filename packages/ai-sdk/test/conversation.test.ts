import { describe, expect, it } from 'vitest';
import { assistant, calls, executed, text } from './support/agents.ts';
import { sdks } from './support/sdks.ts';
import { createWorld, inShort, plain, settled, type TransportKind } from './support/world.ts';

const transports: readonly TransportKind[] = ['stock', 'prepared', 'helix'];

for (const sdk of sdks) {
  for (const transport of transports) {
    describe(`a conversation through ${sdk.name}, ${transport} transport`, () => {
      it('streams text, turn after turn', async () => {
        const world = createWorld(assistant, {
          assistant: [text('Hello, how can I help you?'), text('It is the second.')],
        });
        const chat = world.chat(sdk, { transport });
        await chat.sendMessage({ text: 'Hi' });
        expect(chat.error).toBeUndefined();
        expect(inShort(chat.lastMessage)).toBe('[step] Hello, how can I help you?');
        await chat.sendMessage({ text: 'Which turn is this?' });
        expect(chat.messages.map((message) => [message.role, inShort(message)])).toEqual([
          ['user', 'Hi'],
          ['assistant', '[step] Hello, how can I help you?'],
          ['user', 'Which turn is this?'],
          ['assistant', '[step] It is the second.'],
        ]);
        expect(world.posts()).toBe(2);
        expect(chat.status).toBe('ready');
        await world.validate();
      });

      it('shows a server tool with its progress, and sends nothing by itself', async () => {
        const world = createWorld(assistant, {
          assistant: [
            calls({ id: 'w1', name: 'weather', arguments: { city: 'Rome' } }),
            text('21 degrees.'),
          ],
        });
        const chat = world.chat(sdk, { transport, predicate: 'stock' });
        await chat.sendMessage({ text: 'Weather in Rome?' });
        await settled(chat);
        expect(inShort(chat.lastMessage)).toBe(
          '[step] tool-weather:output-available data-progress [step] 21 degrees.',
        );
        expect(world.posts()).toBe(1);
        await world.validate();
      });

      it('answers a client tool in the same message', async () => {
        const world = createWorld(assistant, {
          assistant: [
            calls({ id: 'c1', name: 'pickColor', arguments: { question: 'Which?' } }),
            text('Blue it is.'),
          ],
        });
        for (const predicate of ['stock', 'helix'] as const) {
          const chat = world.chat(sdk, { transport, predicate, id: predicate });
          world.model.setResponses('assistant', [
            calls({ id: 'c1', name: 'pickColor', arguments: { question: 'Which?' } }),
            text('Blue it is.'),
          ]);
          await chat.sendMessage({ text: 'Pick' });
          expect(inShort(chat.lastMessage)).toBe('[step] tool-pickColor:input-available');
          await chat.addToolOutput({
            tool: 'pickColor',
            toolCallId: 'c1',
            output: { color: 'blue' },
          });
          await settled(chat);
          expect(inShort(chat.lastMessage)).toBe(
            '[step] tool-pickColor:output-available [step] Blue it is.',
          );
          expect(chat.messages).toHaveLength(2);
        }
        expect(world.posts()).toBe(4);
        await world.validate();
      });

      it('approves, denies, and tells the client how it went', async () => {
        for (const approved of [true, false]) {
          const id = `pay-${approved}`;
          const world = createWorld(assistant, {
            assistant: [
              calls({ id: 'p1', name: 'pay', arguments: { amount: 5 } }),
              text(approved ? 'Paid.' : 'Then not.'),
            ],
          });
          const before = executed.length;
          const chat = world.chat(sdk, { transport, predicate: 'stock', id });
          await chat.sendMessage({ text: 'Pay 5' });
          const part = chat.lastMessage?.parts.at(-1) as { approval: { id: string } };
          expect(inShort(chat.lastMessage)).toBe('[step] tool-pay:approval-requested');
          await chat.addToolApprovalResponse({ id: part.approval.id, approved, reason: 'because' });
          await settled(chat);
          expect(inShort(chat.lastMessage)).toBe(
            approved
              ? '[step] tool-pay:output-available [step] Paid.'
              : '[step] tool-pay:output-denied [step] Then not.',
          );
          expect(executed.length - before).toBe(approved ? 1 : 0);
          expect(world.posts()).toBe(2);
          expect(await sdk.isValidHistory(chat.messages)).toBe(true);
          const snapshot = await world.snapshot(id);
          expect(inShort(snapshot.messages.at(-1))).toBe(inShort(chat.lastMessage));
          expect(await sdk.isValidHistory(plain(snapshot.messages))).toBe(true);
          await world.validate();
        }
      });
    });
  }
}
