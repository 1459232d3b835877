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

type Helpers = Hooks.HelixChatHelpers;

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
    const common = (world: World): { id: string; api: string; fetch: typeof fetch } => ({
      id: 'chat-1',
      api: API,
      fetch: world.fetch,
    });

    it('tells the server which chunks this major of ai understands, without being told', async () => {
      const { useHelixChat } = await loadHooks(major);
      const world = createWorld(assistant, { assistant: [text('Hello.')] });
      const chat = await mount(() => useHelixChat(common(world)));
      await chat().sendMessage({ text: 'Hi' });
      const post = world.exchanges.find(({ method }) => method === 'POST');
      expect(post?.headers.get('x-helix-chat-capabilities')).toBe(major === 7 ? 'ai-sdk-7' : null);
    });

    it('restores the conversation by itself, also when a message is sent before it is loaded', async () => {
      const { useHelixChat } = await loadHooks(major);
      const world = createWorld(assistant, { assistant: [text('One.'), text('Two.')] });
      await (await world.executor.execute(assistant, 'First', { sessionId: 'chat-1' })).result();
      let load = (): void => {};
      const loading = new Promise<void>((resolve) => {
        load = resolve;
      });
      const slowly = (async (input, init) => {
        if ((input as string).endsWith('/snapshot')) await loading;
        return world.fetch(input, init);
      }) as typeof fetch;
      const chat = await mount(() => useHelixChat({ ...common(world), fetch: slowly }));
      expect(chat().isLoading).toBe(true);
      await chat().sendMessage({ text: 'Second' });
      load();
      await until('the conversation', () => chat().isLoading === false);
      await until('all of it', () => chat().messages.length === 4);
      expect(chat().messages.map((one) => inShort(one))).toEqual([
        'First',
        '[step] One.',
        'Second',
        '[step] Two.',
      ]);
      const again = await mount(() => useHelixChat(common(world)));
      await until('the same in a new page', () => again().messages.length === 4);
    });

    it('shows why a conversation could not be loaded, and loads it once it can be', async () => {
      const { useHelixChat } = await loadHooks(major);
      const world = createWorld(assistant, { assistant: [text('One.')] });
      await (await world.executor.execute(assistant, 'First', { sessionId: 'chat-1' })).result();
      let token = 'old';
      const errors: string[] = [];
      const guarded = (async (input, init) =>
        new Headers(init?.headers).get('authorization') === 'Bearer new'
          ? world.fetch(input, init)
          : Response.json({ error: 'Log in again.' }, { status: 401 })) as typeof fetch;
      const chat = await mount(() =>
        useHelixChat({
          ...common(world),
          fetch: guarded,
          headers: async () => ({ authorization: `Bearer ${token}` }),
          onError: ({ message }) => errors.push(message),
        }),
      );
      await until('the error', () => chat().error !== undefined);
      expect([chat().error?.message, chat().status]).toEqual(['Log in again.', 'error']);
      expect([chat().isLoading, errors]).toEqual([false, ['Log in again.']]);
      token = 'new';
      globalThis.dispatchEvent(new Event('focus'));
      await until('the conversation', () => chat().messages.length === 2);
      expect([chat().error, chat().status]).toEqual([undefined, 'ready']);
    });

    it('gives a card what it shows and the answers to it: an approval, a tool that a person answers', async () => {
      const { useHelixChat, useToolCall } = await loadHooks(major);
      const world = createWorld(assistant, {
        assistant: [
          calls({ id: 'p1', name: 'pay', arguments: { amount: 100 } }),
          calls({ id: 'c1', name: 'pickColor', arguments: { question: 'Which?' } }),
          text('Done.'),
        ],
      });
      let call: Hooks.ToolCallCard | undefined;
      let first: Hooks.ToolCallCard | undefined;
      const NONE = { type: 'tool-none', toolCallId: 'none', state: 'input-streaming' };
      const chat = await mount(() => {
        const helpers = useHelixChat(common(world));
        const parts = (helpers.messages.at(-1)?.parts ?? []).filter(({ type }) =>
          type.startsWith('tool-'),
        ) as readonly Hooks.ToolPart[];
        first = useToolCall(helpers, parts[0] ?? NONE);
        call = useToolCall(helpers, parts.at(-1) ?? NONE);
        return helpers;
      });
      const card = (): Hooks.ToolCallCard => call!;
      await chat().sendMessage({ text: 'Go' });
      await until('the question', () => card().asks === 'approval');
      expect(card()).toMatchObject({ toolName: 'pay', status: 'waiting', input: { amount: 100 } });
      await card().deny('Too much');
      await until('the next question', () => card().asks === 'result');
      expect(first).toMatchObject({ status: 'denied', reason: 'Too much' });
      expect(card()).toMatchObject({ toolName: 'pickColor', input: { question: 'Which?' } });
      card().answer({ color: 'blue' });
      await until('the end', () => inShort(chat().messages.at(-1)).endsWith('Done.'));
      expect(card()).toMatchObject({ status: 'done', asks: null, output: { color: 'blue' } });
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
