import type { ScriptedStep } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { getUIMessages } from '../src/index.ts';
import { assistant, calls, finish, text } from './support/agents.ts';
import { sdks, type Chat } from './support/sdks.ts';
import {
  API,
  createWorld,
  inShort,
  plain,
  settled,
  until,
  type TransportKind,
  type World,
} from './support/world.ts';

const transports: readonly TransportKind[] = ['stock', 'prepared', 'helix'];

/** An answer that stops in its middle until it is told to go on. */
function held(content: string): { readonly step: ScriptedStep; readonly go: () => void } {
  let go = (): void => {};
  const going = new Promise<void>((resolve) => {
    go = resolve;
  });
  const half = Math.floor(content.length / 2);
  const step: ScriptedStep = async (input) => {
    await input.callbacks.onTextDelta(content.slice(0, half));
    await going;
    await input.callbacks.onTextDelta(content.slice(half));
    return { type: 'text', content, shouldStop: true };
  };
  return { step, go };
}

function heldWorld(): { readonly world: World; readonly go: () => void } {
  const { step, go } = held('A long answer.');
  // The step streams by itself; the script must not stream its content again.
  const world = createWorld(assistant, {
    assistant: [
      calls({ id: 'w1', name: 'weather', arguments: { city: 'Bern' } }),
      async (input) =>
        ({ ...(await (step as (i: unknown) => Promise<object>)(input)), content: '' }) as never,
    ],
  });
  return { world, go };
}

const half = '[step] tool-weather:output-available data-progress [step] A long ';
const whole = '[step] tool-weather:output-available data-progress [step] A long answer.';

/** The events of a response, one by one. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  for await (const piece of body) {
    yield* decoder.decode(piece, { stream: true }).match(/[\s\S]*?\n\n/g) ?? [];
  }
}

async function leave(chat: Chat): Promise<void> {
  await chat.stop();
}

for (const sdk of sdks) {
  for (const transport of transports) {
    describe(`a refresh through ${sdk.name}, ${transport} transport`, () => {
      it('in the middle of the text: what was streamed is there, the rest comes live', async () => {
        const { world, go } = heldWorld();
        const first = world.chat(sdk, { transport });
        const sending = first.sendMessage({ text: 'Tell me' });
        await until('half of the text', () => inShort(first.lastMessage).startsWith(half.trim()));
        await leave(first);
        await sending;

        const snapshot = await world.snapshot();
        expect(snapshot.status).toBe('running');
        expect(inShort(snapshot.messages.at(-1))).toBe(half);
        const second = world.chat(sdk, { transport, snapshot });
        const resuming = second.resumeStream();
        await until('the replay', () => inShort(second.lastMessage) === half);
        go();
        await resuming;
        await settled(second);
        expect(inShort(second.lastMessage)).toBe(whole);
        expect(second.messages).toHaveLength(2);
        expect(world.posts()).toBe(1);
        await world.validate();
      });

      it('while a call waits: the card is there, and its answer continues the message (APPR-11)', async () => {
        const world = createWorld(assistant, {
          assistant: [calls({ id: 'p1', name: 'pay', arguments: { amount: 2 } }), text('Paid.')],
        });
        const first = world.chat(sdk, { transport });
        await first.sendMessage({ text: 'Pay' });
        const snapshot = await world.snapshot();
        const second = world.chat(sdk, { transport, snapshot, predicate: 'stock' });
        expect(inShort(second.lastMessage)).toBe('[step] tool-pay:approval-requested');
        await second.resumeStream();
        expect(second.status).toBe('ready');
        expect(inShort(second.lastMessage)).toBe('[step] tool-pay:approval-requested');
        const part = second.lastMessage?.parts.at(-1) as { approval: { id: string } };
        await second.addToolApprovalResponse({ id: part.approval.id, approved: true });
        await settled(second);
        expect(inShort(second.lastMessage)).toBe('[step] tool-pay:output-available [step] Paid.');
        expect([second.messages.length, world.posts()]).toEqual([2, 2]);
        await world.validate();
      });

      it('after an answer: it does not come back, and nothing is sent (APPR-11)', async () => {
        const world = createWorld(assistant, {
          assistant: [calls({ id: 'p1', name: 'pay', arguments: { amount: 2 } }), text('Paid.')],
        });
        const first = world.chat(sdk, { transport });
        await first.sendMessage({ text: 'Pay' });
        const part = first.lastMessage?.parts.at(-1) as { approval: { id: string } };
        await first.addToolApprovalResponse({ id: part.approval.id, approved: true });
        await settled(first);
        const second = world.chat(sdk, {
          transport,
          snapshot: await world.snapshot(),
          predicate: 'stock',
        });
        await second.resumeStream();
        await settled(second);
        expect(inShort(second.lastMessage)).toBe('[step] tool-pay:output-available [step] Paid.');
        expect(world.posts()).toBe(2);
        await world.validate();
      });

      it('shows an answer given in an inbox: the next attach takes it up', async () => {
        const world = createWorld(assistant, {
          assistant: [calls({ id: 'p1', name: 'pay', arguments: { amount: 2 } }), text('Paid.')],
        });
        const chat = world.chat(sdk, { transport });
        await chat.sendMessage({ text: 'Pay' });
        await world.executor.submitToolResult({
          kind: 'approval-response',
          sessionId: 'chat-1',
          toolCallId: 'p1',
          approved: true,
        });
        const between = await world.snapshot();
        expect(between.messages.at(-1)?.parts.at(-1)).toMatchObject({
          state: 'input-available',
          providerExecuted: true,
        });
        await chat.resumeStream();
        await settled(chat);
        expect(inShort(chat.lastMessage)).toBe('[step] tool-pay:output-available [step] Paid.');
        expect([chat.messages.length, world.posts()]).toEqual([2, 1]);
        await world.validate();
      });

      it('in a second tab that answers while the first one waits: both end the same', async () => {
        const world = createWorld(assistant, {
          assistant: [
            calls(
              { id: 'c1', name: 'pickColor', arguments: { question: 'Which?' } },
              { id: 'c2', name: 'pickColor', arguments: { question: 'And then?' } },
            ),
            text('Done.'),
          ],
        });
        const first = world.chat(sdk, { transport });
        await first.sendMessage({ text: 'Go' });
        const second = world.chat(sdk, { transport, snapshot: await world.snapshot() });
        await second.addToolOutput({
          tool: 'pickColor',
          toolCallId: 'c1',
          output: { color: 'red' },
        });
        await settled(second);
        await first.addToolOutput({
          tool: 'pickColor',
          toolCallId: 'c2',
          output: { color: 'tan' },
        });
        await settled(first);
        const end =
          '[step] tool-pickColor:output-available tool-pickColor:output-available [step] Done.';
        expect(inShort(first.lastMessage)).toBe(end);
        expect(first.lastMessage?.parts[1]).toMatchObject({ output: { color: 'red' } });
        await second.resumeStream();
        expect(inShort(second.lastMessage)).toBe(end);
        await world.validate();
      });
    });
  }
}

describe('a cut connection', () => {
  const script = {
    assistant: [
      calls(
        { id: 'w1', name: 'weather', arguments: { city: 'Bern' } },
        { id: 's1', name: 'subagent__buyer', arguments: { task: 'look' } },
      ),
      {
        type: 'text',
        thinking: 'Hm, let me think.',
        content: 'Sunny, and bought.',
        shouldStop: true,
      },
    ],
    buyer: [
      calls({ id: 'w2', name: 'weather', arguments: { city: 'Rome' } }),
      finish({ done: true }),
    ],
  } as const;

  it('continues after every event with exactly what is missing (STRM-01)', async () => {
    const world = createWorld(assistant, script as never);
    const chat = world.chat(sdks[1]!);
    await chat.sendMessage({ text: 'Go' });
    const { chunks, ids } = world.exchanges[0]!;
    expect(chunks.length).toBeGreaterThan(20);
    for (const [index, id] of ids.entries()) {
      if (id === null) continue;
      const before = world.exchanges.length;
      const response = await world.fetch(`${API}/chat-1/stream`, {
        headers: { 'last-event-id': id, 'x-helix-chat-capabilities': 'ai-sdk-7' },
      });
      await response.text();
      expect(world.exchanges[before]!.chunks, `after ${id}`).toEqual(chunks.slice(index + 1));
    }
  });

  it('answers a cursor that is none with 400, one beyond the end with the end (STRM-01, STRM-09)', async () => {
    const world = createWorld(assistant, script as never);
    await world.chat(sdks[1]!).sendMessage({ text: 'Go' });
    for (const id of ['abc', '-1', '1e20', '99999999999999999999.0', '3']) {
      const response = await world.fetch(`${API}/chat-1/stream`, {
        headers: { 'last-event-id': id },
      });
      expect([id, response.status]).toEqual([id, 400]);
    }
    for (const sequence of ['abc', '-1', '1.5', '1e20']) {
      const headers = { 'x-resume-from-sequence': sequence };
      expect((await world.fetch(`${API}/chat-1/stream`, { headers })).status).toBe(400);
    }
    const beyond = await world.fetch(`${API}/chat-1/stream`, {
      headers: { 'last-event-id': '100000.0' },
    });
    expect(await beyond.text()).toContain('"type":"finish"');
    expect((await world.fetch(`${API}/nobody/stream`)).status).toBe(204);
    const all = await world.fetch(`${API}/chat-1/stream`, {
      headers: { 'x-resume-from-sequence': String((await world.snapshot()).streamSequence) },
    });
    expect(all.status).toBe(204);
  });

  it('is not noticed by the chat: cut after every chunk, and closed early', async () => {
    const world = createWorld(assistant, script as never);
    let cuts = 0;
    let served = 0;
    // Each response is cut one event later than the one before.
    const cutting: typeof fetch = async (input, init) => {
      const response = await world.fetch(input, init);
      const pieces = eventsOf(response.body!);
      let left = (served += 1);
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await pieces.next();
          if (done) return controller.close();
          controller.enqueue(new TextEncoder().encode(value));
          left -= 1;
          if (left > 0) return;
          cuts += 1;
          void pieces.return();
          if (cuts % 2 === 0) controller.close();
          else controller.error(new TypeError('network error'));
        },
      });
      return new Response(body, response);
    };
    const chat = world.chat(sdks[0]!, { fetch: cutting });
    await chat.sendMessage({ text: 'Go' });
    expect(chat.error).toBeUndefined();
    const whole = await world.snapshot();
    expect(cuts).toBeGreaterThan(2);
    expect(inShort(chat.lastMessage)).toBe(inShort(whole.messages.at(-1)));
    expect(world.posts()).toBe(1);
  });

  it('gives the transcript the same shape as the stream, and both majors read it alike', async () => {
    const world = createWorld(assistant, script as never);
    for (const sdk of sdks) {
      world.model.setResponses('assistant', script.assistant as never);
      world.model.setResponses('buyer', script.buyer as never);
      const chat = world.chat(sdk, { id: sdk.name });
      await chat.sendMessage({ text: 'Go' });
      const shown = inShort(chat.lastMessage).replaceAll(' data-progress', '');
      const { messages } = await getUIMessages(world.deps, sdk.name);
      expect(inShort(messages.at(-1))).toBe(shown);
      expect(messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
      expect(await sdk.isValidHistory(plain(messages))).toBe(true);
    }
  });
});
