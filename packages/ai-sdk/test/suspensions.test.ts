import { defineTool, type AgentConfig } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { assistant, calls, executed, finish, text } from './support/agents.ts';
import { sdks, type Chat } from './support/sdks.ts';
import { createWorld, inShort, settled, until, type TransportKind } from './support/world.ts';

const transports: readonly TransportKind[] = ['stock', 'helix'];

const twoQuestions = [
  calls(
    { id: 'c1', name: 'pickColor', arguments: { question: 'Which?' } },
    { id: 'p1', name: 'pay', arguments: { amount: 7 } },
  ),
  text('Both done.'),
];

const nested = {
  assistant: [
    calls({ id: 's1', name: 'subagent__buyer', arguments: { task: 'buy' } }),
    text('Bought.'),
  ],
  buyer: [
    calls({ id: 'w1', name: 'weather', arguments: { city: 'Oslo' } }),
    calls({ id: 'p1', name: 'pay', arguments: { amount: 9 } }),
    calls({ id: 'c1', name: 'pickColor', arguments: { question: 'Which?' } }),
    finish({ done: true }),
  ],
};

let release = (): void => {};

/** With a tool that runs until it is told to end. */
const slowAssistant: AgentConfig = {
  ...assistant,
  tools: [
    ...(assistant.tools ?? []),
    defineTool({
      name: 'slow',
      inputSchema: z.object({}),
      execute: () =>
        new Promise<string>((resolve) => {
          release = () => resolve('done');
        }),
    }),
  ],
};

function approvalOf(chat: Chat): { readonly toolCallId: string; readonly id: string } {
  for (const message of chat.messages) {
    for (const given of message.parts) {
      const part = given as { state?: string; toolCallId: string; approval: { id: string } };
      if (part.state === 'approval-requested')
        return { toolCallId: part.toolCallId, id: part.approval.id };
    }
  }
  throw new Error('nothing waits for an approval');
}

function openCall(chat: Chat, type: string): string {
  const part = chat.messages
    .flatMap((message) => message.parts)
    .find((one) => one.type === type && (one as { state?: string }).state === 'input-available');
  if (!part) throw new Error(`no open ${type}`);
  return (part as { toolCallId: string }).toolCallId;
}

for (const sdk of sdks) {
  for (const transport of transports) {
    describe(`people are asked through ${sdk.name}, ${transport} transport`, () => {
      it('takes two answers of one step, together with the stock rule', async () => {
        const world = createWorld(assistant, { assistant: twoQuestions });
        const chat = world.chat(sdk, { transport, predicate: 'stock' });
        await chat.sendMessage({ text: 'Go' });
        await chat.addToolOutput({ tool: 'pickColor', toolCallId: 'c1', output: { color: 'red' } });
        await settled(chat);
        expect(world.posts()).toBe(1);
        await chat.addToolApprovalResponse({ id: approvalOf(chat).id, approved: true });
        await settled(chat);
        expect(inShort(chat.lastMessage)).toBe(
          '[step] tool-pickColor:output-available tool-pay:output-available [step] Both done.',
        );
        expect(world.posts()).toBe(2);
        await world.validate();
      });

      it('takes them one by one with ours; the model is asked after the last (RES-01)', async () => {
        const world = createWorld(assistant, { assistant: twoQuestions });
        const chat = world.chat(sdk, { transport });
        await chat.sendMessage({ text: 'Go' });
        await chat.addToolOutput({ tool: 'pickColor', toolCallId: 'c1', output: { color: 'red' } });
        await settled(chat);
        expect(inShort(chat.lastMessage)).toBe(
          '[step] tool-pickColor:output-available tool-pay:approval-requested',
        );
        expect(world.model.calls).toHaveLength(1);
        expect(chat.error).toBeUndefined();
        await chat.addToolApprovalResponse({ id: approvalOf(chat).id, approved: true });
        await settled(chat);
        expect(inShort(chat.lastMessage)).toBe(
          '[step] tool-pickColor:output-available tool-pay:output-available [step] Both done.',
        );
        expect([world.posts(), world.model.calls.length]).toEqual([3, 2]);
        await world.validate();
      });

      it('takes them in any order; the model reads them in the order of the calls (RES-07)', async () => {
        const world = createWorld(assistant, { assistant: twoQuestions });
        const chat = world.chat(sdk, { transport });
        await chat.sendMessage({ text: 'Go' });
        await chat.addToolApprovalResponse({ id: approvalOf(chat).id, approved: true });
        await settled(chat);
        await chat.addToolOutput({ tool: 'pickColor', toolCallId: 'c1', output: { color: 'red' } });
        await settled(chat);
        expect(inShort(chat.lastMessage)).toBe(
          '[step] tool-pickColor:output-available tool-pay:output-available [step] Both done.',
        );
        const results = world.model.calls[1]!.messages.filter(({ role }) => role === 'tool');
        expect(results.map((one) => 'toolName' in one && one.toolName)).toEqual([
          'pickColor',
          'pay',
        ]);
        expect([world.posts(), world.model.calls.length]).toEqual([3, 2]);
        await world.validate();
      });

      for (const predicate of ['stock', 'helix'] as const) {
        it(`asks for a sub-agent in the same message, ${predicate} rule`, async () => {
          const world = createWorld(assistant, nested);
          const chat = world.chat(sdk, { transport, predicate });
          await chat.sendMessage({ text: 'Buy' });
          expect(inShort(chat.lastMessage)).toBe(
            '[step] data-subagent tool-weather:output-available data-progress tool-pay:approval-requested',
          );
          const asked = chat.lastMessage?.parts.at(-1) as { toolMetadata: object };
          expect(asked.toolMetadata).toMatchObject({ agentType: 'buyer' });
          await chat.addToolApprovalResponse({ id: approvalOf(chat).id, approved: true });
          await settled(chat);
          const toolCallId = openCall(chat, 'tool-pickColor');
          await chat.addToolOutput({ tool: 'pickColor', toolCallId, output: { color: 'red' } });
          await settled(chat);
          expect(inShort(chat.lastMessage)).toBe(
            '[step] data-subagent tool-weather:output-available data-progress tool-pay:output-available tool-pickColor:output-available [step] Bought.',
          );
          expect(chat.lastMessage?.parts[1]).toMatchObject({
            data: { status: 'completed', output: { done: true } },
          });
          expect([chat.messages.length, world.posts()]).toEqual([2, 3]);
          await world.validate();
        });
      }

      it('takes one of two answers that are given at once, and both pages end the same (RES-02)', async () => {
        const world = createWorld(assistant, {
          assistant: [calls({ id: 'p1', name: 'pay', arguments: { amount: 6 } }), text('Paid.')],
        });
        const first = world.chat(sdk, { transport, id: 'both' });
        await first.sendMessage({ text: 'Pay' });
        const second = world.chat(sdk, {
          transport,
          id: 'both',
          snapshot: await world.snapshot('both'),
        });
        const before = executed.length;
        const { id } = approvalOf(first);
        for (const chat of [first, second]) {
          void chat.addToolApprovalResponse({ id, approved: true });
        }
        await Promise.all([settled(first), settled(second)]);
        const end = '[step] tool-pay:output-available [step] Paid.';
        expect([inShort(first.lastMessage), inShort(second.lastMessage)]).toEqual([end, end]);
        expect([executed.length - before, world.posts()]).toEqual([1, 3]);
        await world.validate();
      });

      it('goes on in the same response when an answer comes while a sibling still runs (RES-11)', async () => {
        const world = createWorld(slowAssistant, {
          assistant: [
            calls(
              { id: 's1', name: 'slow', arguments: {} },
              { id: 'p1', name: 'pay', arguments: { amount: 8 } },
            ),
            text('Both.'),
          ],
        });
        const chat = world.chat(sdk, { transport });
        const sending = chat.sendMessage({ text: 'Go' });
        await until('the question', () => inShort(chat.lastMessage).includes('approval-requested'));
        const { status } = await world.executor.submitToolResult({
          kind: 'approval-response',
          sessionId: 'chat-1',
          toolCallId: 'p1',
          approved: true,
        });
        expect(status).toBe('accepted');
        release();
        await sending;
        await settled(chat);
        expect(inShort(chat.lastMessage)).toBe(
          '[step] tool-slow:output-available tool-pay:output-available [step] Both.',
        );
        expect(world.posts()).toBe(1);
        await world.validate();
      });

      it('runs an approved tool with the edited input', async () => {
        const edits: Record<string, object> = {};
        const world = createWorld(assistant, {
          assistant: [calls({ id: 'p1', name: 'pay', arguments: { amount: 100 } }), text('Paid.')],
        });
        const chat = world.chat(sdk, {
          transport,
          body: () => ({ toolInputs: edits }),
          id: 'edit',
        });
        await chat.sendMessage({ text: 'Pay' });
        edits['p1'] = { amount: 3 };
        await chat.addToolApprovalResponse({ id: approvalOf(chat).id, approved: true });
        await settled(chat);
        expect(executed.at(-1)).toBe('edit:3');
        const part = chat.lastMessage?.parts[1] as { input: object; output: object };
        expect([part.input, part.output]).toEqual([{ amount: 3 }, { paid: 3 }]);
        await world.validate();
      });

      it('refuses an edited input that breaks the schema and leaves the call open', async () => {
        const edits: Record<string, object> = { p1: { amount: 'much' } };
        const world = createWorld(assistant, {
          assistant: [calls({ id: 'p1', name: 'pay', arguments: { amount: 100 } }), text('Paid.')],
        });
        const chat = world.chat(sdk, { transport, body: () => ({ toolInputs: edits }) });
        await chat.sendMessage({ text: 'Pay' });
        await chat.addToolApprovalResponse({ id: approvalOf(chat).id, approved: true });
        await settled(chat);
        expect(chat.status).toBe('error');
        expect(
          (await world.executor.listOpenCalls({ rootSessionId: 'chat-1' })).items,
        ).toHaveLength(1);
        edits['p1'] = { amount: 4 };
        await chat.sendMessage();
        await settled(chat);
        expect(inShort(chat.lastMessage)).toBe('[step] tool-pay:output-available [step] Paid.');
      });

      it('goes on with a message that was typed while an approval waits', async () => {
        const world = createWorld(assistant, {
          assistant: [
            calls({ id: 'p1', name: 'pay', arguments: { amount: 100 } }),
            text('Then something else.'),
          ],
        });
        const chat = world.chat(sdk, { transport });
        const before = executed.length;
        await chat.sendMessage({ text: 'Pay' });
        await chat.sendMessage({ text: 'Never mind' });
        await settled(chat);
        expect(chat.messages.map(({ role }) => role)).toEqual([
          'user',
          'assistant',
          'user',
          'assistant',
        ]);
        expect(inShort(chat.lastMessage)).toBe('[step] Then something else.');
        const { messages } = await world.snapshot();
        expect(inShort(messages[1])).toBe('[step] tool-pay:output-error');
        expect(executed.length).toBe(before);
        await world.validate();
      });

      it('asks a second time when the model calls the gated tool again (APPR-11)', async () => {
        const world = createWorld(assistant, {
          assistant: [
            calls({ id: 'p1', name: 'pay', arguments: { amount: 1 } }),
            calls({ id: 'p2', name: 'pay', arguments: { amount: 1 } }),
            text('Twice.'),
          ],
        });
        const chat = world.chat(sdk, { transport, predicate: 'stock' });
        await chat.sendMessage({ text: 'Pay' });
        await chat.addToolApprovalResponse({ id: approvalOf(chat).id, approved: true });
        await settled(chat);
        expect(inShort(chat.lastMessage)).toBe(
          '[step] tool-pay:output-available [step] tool-pay:approval-requested',
        );
        await chat.addToolApprovalResponse({ id: approvalOf(chat).id, approved: false });
        await settled(chat);
        expect(inShort(chat.lastMessage)).toBe(
          '[step] tool-pay:output-available [step] tool-pay:output-denied [step] Twice.',
        );
        expect(world.posts()).toBe(3);
        await world.validate();
      });

      it('sends no request again and again when the run was stopped elsewhere (STRM-09)', async () => {
        const world = createWorld(assistant, { assistant: twoQuestions });
        const chat = world.chat(sdk, { transport, predicate: 'stock' });
        await chat.sendMessage({ text: 'Go' });
        await world.executor.interrupt('chat-1');
        await chat.addToolOutput({ tool: 'pickColor', toolCallId: 'c1', output: { color: 'red' } });
        await chat.addToolApprovalResponse({ id: approvalOf(chat).id, approved: true });
        await settled(chat);
        expect(world.posts()).toBeLessThanOrEqual(3);
        expect(inShort(chat.lastMessage)).toBe(
          '[step] tool-pickColor:output-error tool-pay:output-error',
        );
        await world.validate();
      });
    });
  }
}
