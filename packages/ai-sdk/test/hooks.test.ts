// @vitest-environment jsdom
// The hooks in a page, with the React package of both majors. The server is the real handler.
import { act, createElement, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type * as Hooks from '../src/react.ts';
import { assistant, calls, executed, text } from './support/agents.ts';
import { API, createWorld, inShort, until, type World } from './support/world.ts';

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}

type Helpers = Hooks.HelixChatHelpers & { readonly isLoading?: boolean };

beforeEach(() => {
  globalThis.IS_REACT_ACT_ENVIRONMENT = false;
});

afterEach(() => {
  vi.doUnmock('@ai-sdk/react');
  vi.resetModules();
});

async function loadHooks(major: 6 | 7): Promise<typeof Hooks> {
  vi.resetModules();
  if (major === 6) vi.doMock('@ai-sdk/react', () => import('ai-sdk-react-6'));
  // Only the newer one exports this.
  expect('useObject' in (await import('@ai-sdk/react'))).toBe(major === 7);
  return import('../src/react.ts');
}

/** A page that shows nothing and hands out what the hook returns. */
async function mount(use: () => Helpers): Promise<() => Helpers> {
  let latest: Helpers | undefined;
  const Page = (): ReactNode => {
    latest = use();
    return null;
  };
  const { document } = globalThis as unknown as {
    document: { createElement(name: string): never };
  };
  const root = createRoot(document.createElement('div'));
  root.render(createElement(Page));
  onTestFinished(() => act(() => root.unmount()));
  await until('the page', () => latest !== undefined);
  return () => latest!;
}

const askColor = [
  calls({ id: 'c1', name: 'pickColor', arguments: { question: 'Which?' } }),
  text('Blue it is.'),
];
const askPay = [calls({ id: 'p1', name: 'pay', arguments: { amount: 100 } }), text('Paid.')];

for (const major of [6, 7] as const) {
  describe(`hooks with @ai-sdk/react of ai ${major}`, () => {
    const common = (
      world: World,
    ): { id: string; api: string; fetch: typeof fetch; aiSdk: 6 | 7 } => ({
      id: 'chat-1',
      api: API,
      fetch: world.fetch,
      aiSdk: major,
    });

    it('runs the page’s own tool once and goes on with its result', async () => {
      const { useHelixChat } = await loadHooks(major);
      const world = createWorld(assistant, { assistant: askColor });
      const ran: unknown[] = [];
      const toolHandlers: Hooks.ToolHandlers = {
        pickColor: async (input) => {
          ran.push(input);
          return { color: 'blue' };
        },
      };
      const chat = await mount(() => useHelixChat({ ...common(world), toolHandlers }));
      await chat().sendMessage({ text: 'Pick' });
      await until('the end', () => inShort(chat().messages.at(-1)).endsWith('Blue it is.'));
      expect(ran).toEqual([{ question: 'Which?' }]);
      expect(world.posts()).toBe(2);
    });

    it('runs a tool that was waiting when the page was opened, and reports one that throws', async () => {
      const { useHelixChat } = await loadHooks(major);
      const world = createWorld(assistant, { assistant: askColor });
      await (await world.executor.execute(assistant, 'Pick', { sessionId: 'chat-1' })).result();
      const snapshot = await world.snapshot();
      const failed: string[] = [];
      const chat = await mount(() =>
        useHelixChat({
          ...common(world),
          snapshot,
          toolHandlers: { pickColor: () => Promise.reject(new Error('no colours here')) },
          onToolError: (_, { toolName }) => failed.push(toolName),
        }),
      );
      await until('the end', () => inShort(chat().messages.at(-1)).endsWith('Blue it is.'));
      expect(failed).toEqual(['pickColor']);
      expect(chat().messages.at(-1)!.parts[1]).toMatchObject({ errorText: 'no colours here' });
    });

    it('approves with an edited input', async () => {
      const { useResumableChat } = await loadHooks(major);
      const world = createWorld(assistant, { assistant: askPay });
      const chat = await mount(() => useResumableChat(common(world)));
      await until('the page to be loaded', () => chat().isLoading === false);
      await chat().sendMessage({ text: 'Pay' });
      await chat().respondToApproval({ toolCallId: 'p1', approved: true, input: { amount: 2 } });
      await until('the end', () => inShort(chat().messages.at(-1)).endsWith('Paid.'));
      expect(executed.at(-1)).toBe('chat-1:2');
      await chat().respondToApproval({ toolCallId: 'p1', approved: false });
      expect(world.posts()).toBe(2);
    });

    it('shows what was answered in an inbox and said in another tab, without being asked', async () => {
      const { useResumableChat } = await loadHooks(major);
      const world = createWorld(assistant, { assistant: [...askPay, text('More.')] });
      const chat = await mount(() => useResumableChat({ ...common(world), resyncIntervalMs: 20 }));
      await chat().sendMessage({ text: 'Pay' });
      await world.executor.submitToolResult({
        kind: 'approval-response',
        sessionId: 'chat-1',
        toolCallId: 'p1',
        approved: true,
      });
      await until('the answer', () => inShort(chat().messages.at(-1)).endsWith('Paid.'));
      await until('rest', () => chat().status === 'ready');
      await (await world.executor.execute(assistant, 'And?', { sessionId: 'chat-1' })).result();
      globalThis.dispatchEvent(new Event('focus'));
      await until('the other turn', () => inShort(chat().messages.at(-1)) === '[step] More.');
      expect(chat().messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
      ]);
      expect(world.posts()).toBe(1);
    });

    it('opens a conversation that is still being spoken, and loads what it could not be told', async () => {
      const { useResumableChat } = await loadHooks(major);
      let go = (): void => {};
      const going = new Promise<void>((resolve) => {
        go = resolve;
      });
      const world = createWorld(assistant, {
        assistant: [
          async ({ callbacks }) => {
            await callbacks.onTextDelta('Half');
            await going;
            await callbacks.onTextDelta(' and half.');
            return { type: 'text', content: '', shouldStop: true };
          },
        ],
      });
      const handle = await world.executor.execute(assistant, 'Go', { sessionId: 'chat-1' });
      await until('the first half', async () =>
        inShort((await world.snapshot()).messages.at(-1)).endsWith('Half'),
      );
      const chat = await mount(() => useResumableChat(common(world)));
      await until('the replay', () => inShort(chat().messages.at(-1)) === '[step] Half');
      go();
      await handle.result();
      await until('the rest', () => inShort(chat().messages.at(-1)) === '[step] Half and half.');
      expect(chat().messages).toHaveLength(2);
    });
  });
}
