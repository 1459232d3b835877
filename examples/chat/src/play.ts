// What a person would do in the page, over HTTP with the same client: for terminals nobody sits at.
import { Chat } from '@ai-sdk/react';
import {
  createHelixChatTransport,
  createHelixSendAutomaticallyWhen,
} from '@helix-agents/ai-sdk/client';
import { setTimeout as delay } from 'node:timers/promises';

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly state?: string;
  readonly input?: object;
  readonly approval?: { readonly id: string };
}

const PATIENCE_MS = 120_000;

/** Plans a trip, kills the server in the middle of it, answers what is asked. Throws when anything is lost or doubled. */
export async function playTrip(url: string, say: (line: string) => void): Promise<void> {
  const id = crypto.randomUUID();
  const chat = new Chat({
    id,
    transport: createHelixChatTransport({ api: `${url}api/chat` }),
    sendAutomaticallyWhen: createHelixSendAutomaticallyWhen(),
  });
  const parts = (): readonly Part[] => (chat.messages[1]?.parts ?? []) as readonly Part[];
  const find = (type: string, state?: string): Part | undefined =>
    parts().find((part) => part.type === type && (state === undefined || part.state === state));
  const approve = async (type: string, who: string): Promise<void> => {
    const asked = await until(() => find(type, 'approval-requested'));
    say(`${who} asks: ${type.slice(5)} ${JSON.stringify(asked.input)}`);
    await until(() => (chat.status === 'ready' ? true : undefined));
    await chat.addToolApprovalResponse({ id: asked.approval?.id ?? '', approved: true });
    say('  approved');
  };

  say('you say: Plan a weekend in Lisbon');
  const sent = chat.sendMessage({ text: 'Plan a weekend in Lisbon' });
  await until(() => find('data-progress'));
  const before = await pidOf(url);
  await fetch(`${url}api/kill`, { method: 'POST' });
  say(`kill -9 ${before}: in the middle of search_flights`);
  await approve('tool-reserve_room', 'the hotel scout, a sub-agent,');
  await sent;
  await approve('tool-book_flight', 'the assistant');
  const end = await until(() =>
    chat.status === 'ready' ? parts().find(({ text }) => text?.startsWith('All set')) : undefined,
  );
  say('the assistant says:');
  for (const line of (end.text ?? '').split('\n').filter(Boolean))
    say(`  ${line.replaceAll('**', '')}`);
  await check(url, id, parts(), before);
  say('one message, every call once, and a page opened now shows the same ✓');
}

async function check(
  url: string,
  id: string,
  shown: readonly Part[],
  before: number,
): Promise<void> {
  const response = await fetch(`${url}api/chat/${id}/snapshot`);
  const { messages } = (await response.json()) as { messages: { parts: Part[] }[] };
  const stored = messages[1]?.parts.map(({ type }) => type) ?? [];
  const calls = stored.filter((type) => type.startsWith('tool-'));
  const faults = [
    messages.length === 2 ? '' : `${messages.length} messages instead of 2`,
    new Set(calls).size === calls.length && calls.length === 4 ? '' : `calls: ${calls.join(', ')}`,
    stored.join() === shown.map(({ type }) => type).join() ? '' : 'the page and the store differ',
    (await pidOf(url)) === before ? 'the server was not killed' : '',
  ].filter((fault) => fault !== '');
  if (faults.length > 0) throw new Error(faults.join('; '));
}

async function pidOf(url: string): Promise<number> {
  const response = await fetch(`${url}api/overview`);
  return ((await response.json()) as { pid: number }).pid;
}

/** One answer of a real model, which plans trips in ways of its own. Returns its first words. */
export async function sayHello(url: string): Promise<string> {
  const transport = createHelixChatTransport({ api: `${url}api/chat` });
  const chat = new Chat({ id: crypto.randomUUID(), transport });
  await chat.sendMessage({ text: 'Hello! What can you do?' });
  if (chat.error) throw chat.error;
  const part = chat.lastMessage?.parts.find(({ type }) => type === 'text') as Part | undefined;
  return (part?.text ?? '').slice(0, 120);
}

async function until<T>(look: () => T | undefined): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error('The chat takes too long.');
    await delay(20);
  }
}
