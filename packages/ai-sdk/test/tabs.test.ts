// @vitest-environment jsdom
// If this fails: a page's tool runs a second time, because one tab had answered and another had not heard of it yet.
import { createElement, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { useResumeClientTools, type ToolChat } from '../src/react.ts';
import { until } from './support/world.ts';

/** Locks that all tabs of a browser share, as far as `ifAvailable` goes. */
function sharedLocks(): { request: LockManager['request'] } {
  const held = new Set<string>();
  const request = async (
    name: string,
    _options: unknown,
    work: (lock: object | null) => Promise<unknown>,
  ): Promise<unknown> => {
    if (held.has(name)) return work(null);
    held.add(name);
    try {
      return await work({ name });
    } finally {
      held.delete(name);
    }
  };
  return { request: request as LockManager['request'] };
}

interface Tab {
  /** How often its handler ran. */
  readonly ran: () => number;
  /** It hears of something: new messages with the call as it is now. */
  hears(state: 'asked' | 'answered'): void;
}

function openTab(answered: () => void): Tab {
  const handler = vi.fn(() => 'blue');
  const { document } = globalThis as unknown as {
    document: { createElement(name: string): never };
  };
  const root = createRoot(document.createElement('div'));
  onTestFinished(() => root.unmount());
  const Page = ({ messages }: { messages: ToolChat['messages'] }): ReactNode => {
    const chat: ToolChat = { id: 's', messages, addToolOutput: answered };
    useResumeClientTools({ chat, toolHandlers: { pickColor: handler } });
    return null;
  };
  const show = (messages: ToolChat['messages']): void =>
    root.render(createElement(Page, { messages }));
  return {
    ran: () => handler.mock.calls.length,
    hears(state) {
      const part = { type: 'tool-pickColor', toolCallId: 'c1', state: 'input-available' };
      const providerExecuted = state === 'answered';
      show([{ role: 'assistant', parts: [{ ...part, input: {}, providerExecuted }] }]);
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

beforeEach(() => {
  globalThis.IS_REACT_ACT_ENVIRONMENT = false;
  vi.stubGlobal('navigator', { locks: sharedLocks() });
});

afterEach(() => vi.unstubAllGlobals());

async function firstTabAnswers(): Promise<{ first: Tab; late: Tab }> {
  const first: Tab = openTab(() => first.hears('answered'));
  const late = openTab(() => undefined);
  first.hears('asked');
  await until('the first tab runs it', () => first.ran() === 1);
  late.hears('asked');
  // The first lets go of the call, and the late one has still not heard of its answer.
  await pause(1_500);
  late.hears('asked');
  return { first, late };
}

it('does not run a tool again that another tab has answered, when it hears of that late', async () => {
  const { first, late } = await firstTabAnswers();
  await pause(300);
  late.hears('answered');
  await pause(1_200);
  expect([first.ran(), late.ran()]).toEqual([1, 0]);
});

it('runs a tool whose answer got lost with the other tab', async () => {
  const { late } = await firstTabAnswers();
  await until('the late tab runs it', () => late.ran() === 1);
});
