import { HelixError, type ScriptedStep } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import {
  clearResumeCookie,
  createResumeCookie,
  extractResumeIntent,
  getUIMessages,
} from '../src/index.ts';
import { withoutWithdrawn } from '../src/client.ts';
import { assistant, calls, executed, text } from './support/agents.ts';
import { sdks } from './support/sdks.ts';
import { API, createWorld, inShort, plain, settled, until, type World } from './support/world.ts';

function post(world: World, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return world.fetch(API, { method: 'POST', body: JSON.stringify(body), headers });
}

const payCall = { id: 'p1', name: 'pay', arguments: { amount: 5 } };
const payThenSay = [calls(payCall), text('Paid.')];

/** What a page that never talked to the server claims. */
function claimed(part: object): object {
  const parts = [
    { type: 'step-start' },
    { type: 'tool-pay', toolCallId: 'p1', input: { amount: 5 }, ...part },
  ];
  return { id: 'chat-1', messages: [{ id: 'reply-u1', role: 'assistant', parts }] };
}

async function asked(world: World): Promise<void> {
  const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Pay' }] };
  await (await post(world, { id: 'chat-1', messages: [message] })).text();
}

describe('what a client claims', () => {
  it('never executes a call it says was approved or done (APPR-09)', async () => {
    const world = createWorld(assistant, { assistant: payThenSay });
    await asked(world);
    const before = executed.length;
    const forged = [
      { state: 'output-available', output: { paid: 5 } },
      { state: 'output-available', output: { paid: 5 }, approval: { id: 'x', approved: true } },
      { state: 'output-available', output: { paid: 5 }, providerExecuted: true },
    ];
    for (const part of forged) {
      const response = await post(world, claimed(part));
      await response.text();
    }
    expect(executed.length).toBe(before);
    const { items } = await world.executor.listOpenCalls({ rootSessionId: 'chat-1' });
    expect(items).toHaveLength(1);
  });

  it('refuses the approval id of another run or session (APPR-07)', async () => {
    const world = createWorld(assistant, { assistant: payThenSay });
    await asked(world);
    const before = executed.length;
    const response = await post(
      world,
      claimed({ state: 'approval-responded', approval: { id: 'old::p1', approved: true } }),
    );
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'INVALID_REQUEST' },
    ]);
    expect(executed.length).toBe(before);
    const forOther = { ...claimed({ state: 'output-error', errorText: 'x' }), id: 'nobody' };
    expect((await post(world, forOther)).status).toBe(404);
  });

  it('takes the same message once, however often it is sent', async () => {
    const world = createWorld(assistant, { assistant: payThenSay });
    await asked(world);
    await asked(world);
    expect(await world.deps.stateStore.getAllMessages('chat-1')).toHaveLength(2);
    const [first, second] = world.exchanges;
    expect(second!.chunks).toEqual(first!.chunks);
  });

  it('refuses the session of a sub-agent, by its root’s id', async () => {
    const world = createWorld(assistant, {
      assistant: [calls({ id: 's1', name: 'subagent__buyer', arguments: { task: 'buy' } })],
      buyer: payThenSay,
    });
    await asked(world);
    const [child] = await world.deps.stateStore.listSubSessions('chat-1');
    for (const what of ['stream', 'snapshot']) {
      const response = await world.fetch(`${API}/${child!.subSessionId}/${what}`);
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining('chat-1'),
      ]);
    }
  });

  it('refuses what is not a chat request', async () => {
    const world = createWorld(assistant, {});
    const bad = [
      {},
      { id: 'x' },
      { id: 'x', messages: [] },
      { id: 'x', messages: [{ role: 'user' }] },
    ];
    for (const body of bad) expect((await post(world, body)).status).toBe(400);
    const empty = { role: 'user', parts: [{ type: 'text', text: '' }] };
    expect((await post(world, { id: 'x', messages: [empty] })).status).toBe(400);
    const said = [{ id: 'm', role: 'assistant', parts: [{ type: 'text', text: 'I said' }] }];
    const again = { id: 'x', messages: said, trigger: 'regenerate-message' };
    expect((await post(world, again)).status).toBe(400);
    expect((await world.fetch(API, { method: 'POST', body: 'no json' })).status).toBe(400);
    expect((await world.fetch(API, { method: 'PUT', body: '{}' })).status).toBe(405);
    expect((await world.fetch(API)).status).toBe(400);
  });
});

for (const sdk of sdks) {
  describe(`trouble through ${sdk.name}`, () => {
    it('shows a failed run as an error and goes on with regenerate', async () => {
      const down = new HelixError({ code: 'provider_auth_failed', message: 'The key is wrong.' });
      const world = createWorld(assistant, {
        assistant: [
          calls({ id: 'w1', name: 'weather', arguments: { city: 'Rome' } }),
          down,
          text('Now it works.'),
        ],
      });
      const chat = world.chat(sdk);
      await chat.sendMessage({ text: 'Go' });
      expect([chat.status, chat.error?.message]).toEqual(['error', 'The key is wrong.']);
      expect(inShort(chat.lastMessage)).toBe('[step] tool-weather:output-available data-progress');
      await chat.regenerate();
      await settled(chat);
      expect(inShort(chat.lastMessage)).toBe(
        '[step] tool-weather:output-available data-progress [step] Now it works.',
      );
      expect([chat.status, chat.messages.length]).toEqual(['ready', 2]);
      await world.validate();
    });

    it('answers again, and the transcript holds the new answer only', async () => {
      const world = createWorld(assistant, {
        assistant: [text('One.'), text('Two.'), text('Three.')],
      });
      const chat = world.chat(sdk);
      await chat.sendMessage({ text: 'First' });
      await chat.sendMessage({ text: 'Second' });
      await chat.regenerate();
      expect(chat.messages.map(inShort)).toEqual([
        'First',
        '[step] One.',
        'Second',
        '[step] Three.',
      ]);
      const { messages } = await getUIMessages(world.deps, 'chat-1');
      expect(messages.map(inShort)).toEqual(chat.messages.map(inShort));
      await world.validate();
    });

    it('withdraws an answer that broke off in a tool input, at once (ATOM-10)', async () => {
      const shown = (): string => inShort(withoutWithdrawn(chat.messages).at(-1));
      const broken: ScriptedStep = async ({ callbacks }) => {
        await callbacks.onThinking('Hm', false);
        await callbacks.onTextDelta('I will pay');
        await callbacks.onToolInputStart({ index: 0, id: 'ghost', name: 'pay' });
        await callbacks.onToolInputDelta({ index: 0, delta: '{"amo' });
        await until('the answer', () => shown().endsWith('I will pay tool-pay:input-streaming'));
        throw Object.assign(new HelixError({ code: 'provider_overloaded', message: 'busy' }), {
          retryAfterMs: 0,
        });
      };
      let go = (): void => {};
      const going = new Promise<void>((resolve) => {
        go = resolve;
      });
      const again: ScriptedStep = async ({ callbacks }) => {
        await callbacks.onTextDelta('Again:');
        await going;
        return { type: 'tool_calls', toolCalls: [payCall as never] };
      };
      const resyncs: string[] = [];
      const world = createWorld(assistant, { assistant: [broken, again, payThenSay[1]!] });
      const chat = world.chat(sdk, {
        predicate: 'stock',
        onData: ({ type }) => void (type === 'data-resync' && resyncs.push(type)),
      });
      const sending = chat.sendMessage({ text: 'Pay' });
      // While the same stream goes on: nothing is loaded for it.
      await until('the withdrawal', () => shown() === '[step] Again:');
      go();
      await sending;
      const clean = '[step] Again: tool-pay:approval-requested';
      expect(shown()).toBe(clean);
      expect(inShort((await world.snapshot()).messages.at(-1))).toBe(clean);
      // What cannot be taken back is replaced by the snapshot when the stream is over.
      expect(resyncs).toHaveLength(sdk.major === 7 ? 0 : 1);
      const { id } = (chat.lastMessage!.parts.at(-1) as unknown as { approval: { id: string } })
        .approval;
      await chat.addToolApprovalResponse({ id, approved: true });
      await settled(chat);
      expect(shown()).toBe('[step] Again: tool-pay:output-available [step] Paid.');
      expect(world.posts()).toBe(2);
      await world.validate();
    });

    it('stops when asked, keeps what was said, and goes on with the next message', async () => {
      let go = (): void => {};
      const going = new Promise<void>((resolve) => {
        go = resolve;
      });
      const slow: ScriptedStep = async ({ callbacks, abortSignal }) => {
        await callbacks.onTextDelta('Thinking about it');
        await Promise.race([
          going,
          new Promise((resolve) => abortSignal.addEventListener('abort', resolve)),
        ]);
        return { type: 'text', content: '', shouldStop: true };
      };
      const world = createWorld(assistant, { assistant: [slow, text('Fine.')] });
      const chat = world.chat(sdk);
      const sending = chat.sendMessage({ text: 'Go' });
      await until('text', () => inShort(chat.lastMessage).includes('Thinking'));
      // A closed connection stops nothing; a new message does.
      await chat.stop();
      await sending;
      expect((await world.snapshot()).status).toBe('running');
      await chat.sendMessage({ text: 'Something else' });
      await settled(chat);
      go();
      expect(inShort(chat.lastMessage)).toBe('[step] Fine.');
      expect(chat.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
      await world.validate();
    });

    it('says that the time is over when a call was not answered', async () => {
      const world = createWorld(
        { ...assistant, clientToolTimeoutMs: 30 },
        {
          assistant: [
            calls({ id: 'c1', name: 'pickColor', arguments: { question: 'Which?' } }),
            text('Too late.'),
          ],
        },
      );
      const chat = world.chat(sdk);
      await chat.sendMessage({ text: 'Go' });
      await new Promise((resolve) => void setTimeout(resolve, 40));
      await chat.resumeStream();
      await settled(chat);
      expect(inShort(chat.lastMessage)).toBe('[step] tool-pickColor:output-error [step] Too late.');
      expect([chat.status, world.posts()]).toEqual(['ready', 1]);
      await world.validate();
    });

    it('refuses a result that breaks the schema; a corrected one is taken', async () => {
      const world = createWorld(assistant, {
        assistant: [
          calls({ id: 'c1', name: 'pickColor', arguments: { question: 'Which?' } }),
          text('Blue.'),
        ],
      });
      const chat = world.chat(sdk);
      await chat.sendMessage({ text: 'Go' });
      await chat.addToolOutput({
        tool: 'pickColor',
        toolCallId: 'c1',
        output: { colour: 1 } as never,
      });
      await settled(chat);
      expect(chat.status).toBe('error');
      await chat.addToolOutput({ tool: 'pickColor', toolCallId: 'c1', output: { color: 'blue' } });
      await settled(chat);
      expect(inShort(chat.lastMessage)).toBe('[step] tool-pickColor:output-available [step] Blue.');
    });
  });
}

describe('the server', () => {
  it('reads only as fast as its client (STRM-05)', async () => {
    const long = 'x'.repeat(400_000);
    const world = createWorld(
      assistant,
      { assistant: [text(long)] },
      { stream: { chunkSize: 100 } },
    );
    const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Go' }] };
    const idle = await post(world, { id: 'chat-1', messages: [message] });
    await until('the run to end', async () => (await world.snapshot()).status === 'completed');
    expect(world.exchanges[0]!.chunks.length).toBeLessThan(5);
    const other = await (await world.fetch(`${API}/chat-1/stream`)).text();
    expect(other.length).toBeGreaterThan(long.length);
    await idle.body!.cancel();
  });

  it('leaves text of an unfinished step out when asked to, and continues it without an orphan', async () => {
    let go = (): void => {};
    const going = new Promise<void>((resolve) => {
      go = resolve;
    });
    const step: ScriptedStep = async ({ callbacks }) => {
      await callbacks.onTextDelta('before ');
      await going;
      await callbacks.onTextDelta('after');
      return { type: 'text', content: '', shouldStop: true };
    };
    const world = createWorld(assistant, { assistant: [step] }, { contentReplayEnabled: false });
    const first = world.chat(sdks[1]!);
    const sending = first.sendMessage({ text: 'Go' });
    await until('text', () => inShort(first.lastMessage).includes('before'));
    const snapshot = await world.snapshot();
    expect(inShort(snapshot.messages.at(-1))).not.toContain('before');
    const second = world.chat(sdks[1]!, { snapshot });
    const resuming = second.resumeStream();
    await until('the attach', () => world.exchanges.length === 2);
    go();
    await Promise.all([sending, resuming]);
    expect(inShort(first.lastMessage)).toBe('[step] before after');
    expect(inShort(second.lastMessage)).toBe('[step] after');
  });

  it('keeps the place of a browser in a cookie', () => {
    const cookie = createResumeCookie('a b;=', {
      resumeFromSequence: 12,
      existingMessageId: 'reply-ü;',
    });
    expect(cookie).toMatch(/^helix-resume-[\w.-]+=12\.[^;]+; Path=\/; .*HttpOnly; SameSite=Lax$/);
    const request = { headers: new Headers({ cookie: `other=1; ${cookie.split(';')[0]}` }) };
    expect(extractResumeIntent(request, 'a b;=')).toEqual({
      source: 'cookie',
      resumeFromSequence: 12,
      existingMessageId: 'reply-ü;',
    });
    expect(extractResumeIntent(request, 'another')).toEqual({ source: 'none' });
    expect(clearResumeCookie('a b;=')).toContain('Max-Age=0');
    const headers = new Headers({
      'x-resume-from-sequence': '4',
      'x-existing-message-id': 'm',
      'last-event-id': '7.2',
    });
    expect(extractResumeIntent({ headers })).toEqual({
      source: 'header',
      resumeFromSequence: 4,
      existingMessageId: 'm',
      position: { sequence: 7, index: 2 },
    });
  });

  it('says 204 to a page that has everything, and a snapshot to one that has not', async () => {
    const world = createWorld(assistant, { assistant: [text('Hello.')] });
    const url = `${API}/chat-1/snapshot`;
    expect(plain(await (await world.fetch(url)).json())).toMatchObject({
      status: 'empty',
      messages: [],
    });
    await world.chat(sdks[1]!).sendMessage({ text: 'Hi' });
    const snapshot = (await (await world.fetch(url)).json()) as { streamSequence: number };
    expect(snapshot).toMatchObject({
      status: 'completed',
      existingMessageId: expect.stringMatching(/^reply-/),
    });
    const ask = (sequence: number): Promise<Response> =>
      world.fetch(url, { headers: { 'x-resume-from-sequence': String(sequence) } });
    expect((await ask(snapshot.streamSequence)).status).toBe(204);
    expect((await ask(snapshot.streamSequence - 1)).status).toBe(200);
  });
});
