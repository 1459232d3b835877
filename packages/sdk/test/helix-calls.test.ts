// If this fails: somebody who knows `helix` alone cannot answer, find or read what their agents do.
import { handleChatStream } from '@helix-agents/ai-sdk';
import { afterEach, describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import {
  createHelix,
  defineAgent,
  defineTool,
  functionModel,
  HelixError,
  InMemoryStateStore,
  InMemoryStreamManager,
  noopLogger,
  type Helix,
  type HelixOptions,
  type SessionStateStore,
  type StateStore,
} from '../src/index.ts';

const ran: unknown[] = [];

const clerk = defineAgent({
  name: 'clerk',
  systemPrompt: 'You file things.',
  stateSchema: z.object({ filed: z.number().default(0) }),
  tools: [
    defineTool({
      name: 'file',
      description: 'Files a paper.',
      inputSchema: z.object({ paper: z.string() }),
      requireApproval: true,
      execute: (input) => void ran.push(input),
    }),
    defineTool({
      name: 'ask',
      description: 'Asks the page.',
      inputSchema: z.object({}),
      execute: 'client',
    }),
  ],
});

/** Calls the tool that the last user message names, then says what came of it. */
const model = functionModel(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool')
    return { type: 'text', content: JSON.stringify(last.content), shouldStop: true };
  const name = last?.role === 'user' ? last.content : '';
  const input = name === 'file' ? { paper: 'A4' } : {};
  return { type: 'tool_calls', toolCalls: [{ id: 'c', name, arguments: input }] };
});

function open(options: Partial<HelixOptions> = {}): Helix {
  const helix = createHelix({ model, database: ':memory:', recoverEveryMs: false, ...options });
  onTestFinished(() => helix.close());
  return helix;
}

async function waiting(helix: Helix, tool: 'file' | 'ask'): Promise<void> {
  ran.length = 0;
  await (await helix.run(clerk, tool, { sessionId: 's' })).result();
}

const finish = async (helix: Helix): Promise<unknown> => (await helix.resume(clerk, 's')).result();

describe('helix', () => {
  it('approves a call of the inbox, with the input that was edited', async () => {
    const helix = open();
    await waiting(helix, 'file');
    const [call] = (await helix.inbox()).items;
    if (!call) throw new Error('nothing waits');
    expect(call).toMatchObject({ toolName: 'file', input: { paper: 'A4' } });
    const outcome = await helix.approve(call, { input: { paper: 'A5' }, answeredBy: 'ada' });
    expect(outcome).toEqual({ status: 'accepted' });
    expect(ran).toEqual([]);
    expect(await finish(helix)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual([{ paper: 'A5' }]);
    expect((await helix.inbox()).items).toEqual([]);
  });

  it('denies a call by its ids, with a reason that the model reads', async () => {
    const helix = open();
    await waiting(helix, 'file');
    await helix.deny({ sessionId: 's', toolCallId: 'c' }, { reason: 'too much paper' });
    expect(JSON.stringify(await finish(helix))).toContain('too much paper');
    expect(ran).toEqual([]);
  });

  it('answers a client tool, and fails one', async () => {
    const helix = open();
    await waiting(helix, 'ask');
    expect(await helix.answer({ sessionId: 's', toolCallId: 'c' }, { color: 'red' })).toEqual({
      status: 'accepted',
    });
    expect(JSON.stringify(await finish(helix))).toContain('red');

    const other = open();
    await waiting(other, 'ask');
    await other.fail({ sessionId: 's', toolCallId: 'c' }, 'nobody is there');
    expect(JSON.stringify(await finish(other))).toContain('nobody is there');
  });

  it('lists sessions and filters them', async () => {
    const helix = open();
    await waiting(helix, 'ask');
    expect((await helix.sessions({ agentType: 'clerk' })).items).toHaveLength(1);
    expect((await helix.sessions({ agentType: 'other' })).items).toHaveLength(0);
    const misspelled = { agent: 'other' } as object;
    await expect(helix.sessions(misspelled)).rejects.toThrow('did you mean `agentType`?');
    await expect(helix.inbox({ sessionId: 's' } as object)).rejects.toThrow(
      'did you mean `rootSessionId`?',
    );
  });

  it('retries a failed session and interrupts a waiting one', async () => {
    let broken = true;
    const failing = functionModel(() => {
      if (broken) throw new HelixError({ code: 'provider_error', message: 'down' });
      return { type: 'text', content: 'up', shouldStop: true };
    });
    const helix = open({ model: failing });
    const handle = await helix.run(clerk, 'go', { sessionId: 's' });
    expect(await handle.result()).toMatchObject({ status: 'failed' });
    broken = false;
    const retried = await (await helix.retry(clerk, 's')).result();
    expect(retried).toEqual({ status: 'completed', output: 'up' });
    if (retried.status === 'completed') expectTypeOf(retried.output).toEqualTypeOf<string>();

    const asking = open();
    await waiting(asking, 'ask');
    expect(await asking.interrupt('s')).toMatchObject({ status: 'interrupted' });
  });

  it('reads a run by iterating over its handle', async () => {
    const helix = open();
    const types: string[] = [];
    for await (const chunk of await helix.run(clerk, 'ask')) types.push(chunk.type);
    expect(types[0]).toBe('run_started');
    expect(types.at(-1)).toBe('run_suspended');
  });

  it('gives a chat route what it works with', async () => {
    const helix = open();
    const body = {
      id: 's',
      messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'ask' }] }],
    };
    const request = new Request('http://localhost/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const response = await handleChatStream(helix.chat(clerk), { request });
    expect(await response.text()).toContain('tool-input-available');
  });

  it('has stores that fit wherever stores are asked for, whatever it was given', async () => {
    const { sessions, index } = new InMemoryStateStore();
    const database = {
      stateStore: { sessions, index },
      streamManager: new InMemoryStreamManager(),
    };
    const helix = open({ database });
    expectTypeOf(helix.stores.stateStore).toExtend<SessionStateStore & StateStore>();
    await waiting(helix, 'ask');
    expect(await helix.stores.stateStore.loadState('s')).toMatchObject({ agentType: 'clerk' });
  });

  it('names the call in what it throws', async () => {
    const helix = open();
    await waiting(helix, 'ask');
    await expect(helix.run(clerk, 'more', { sessionId: 's' })).rejects.toThrow(
      "helix.run: Session s waits for c; answer and resume it, or send the message with onMessageWhileSuspended: 'supersede'.",
    );
    const unknown = helix.resume(clerk, 'nobody').catch((error: Error) => error);
    expect(await unknown).toMatchObject({ code: 'session_not_found' });
    expect(String(((await unknown) as Error).stack)).toContain(
      'helix.resume: There is no session nobody in this store',
    );
    await expect(helix.retry('s')).rejects.toThrow('helix.retry: Session s cannot be retried');
    await expect(helix.run(clerk, ' ')).rejects.toThrow(
      'helix.run: The request is not valid: message: is empty; send a text, or files with it',
    );
  });

  it('refuses options that do not exist', () => {
    const make = (options: object) => () => createHelix({ model, ...options });
    expect(make({ llmAdapter: model })).toThrow('did you mean `model`?');
    expect(make({ agent: [clerk] })).toThrow('did you mean `agents`?');
    expect(make({ autoresume: true })).toThrow('did you mean `autoResume`?');
    expect(make({ stateStore: 1 })).toThrow(
      'did you mean `database: { stateStore, streamManager }`?',
    );
    expect(make({ database: { store: 1 } })).toThrow('with a `stateStore` and a `streamManager`');
  });

  it('takes a service name onto every line it logs', async () => {
    const services = new Set<unknown>();
    const log = (_event: string, data: object = {}): void =>
      void services.add((data as { service?: string }).service);
    const logger = { info: log, warn: log, error: log, debug: log };
    await waiting(open({ logger, serviceName: 'desk' }), 'ask');
    expect([...services]).toEqual(['desk']);
  });
});

describe('helix, without a logger', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('warns of tools that no description tells the model about, once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const mute = defineAgent({
      name: 'mute',
      systemPrompt: 'You ask.',
      tools: [defineTool({ name: 'ask', inputSchema: z.object({}), execute: 'client' })],
    });
    const helix = open();
    for (const _ of [1, 2]) await (await helix.run(mute, 'ask')).result();
    expect(warn.mock.calls).toEqual([
      [
        'agent.descriptions_missing',
        expect.objectContaining({ agentType: 'mute', tools: ['ask'] }),
      ],
    ]);
    warn.mockClear();
    await (await open({ logger: noopLogger }).run(mute, 'ask')).result();
    expect(warn.mock.calls).toEqual([]);
  });
});
