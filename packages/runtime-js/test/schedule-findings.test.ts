import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  functionModel,
  HelixError,
  noopLogger,
  type AgentConfig,
  type LLMAdapter,
  type LLMToolCall,
  type StreamManager,
} from '@helix-agents/core';
import { createAnnouncer, systemClock, type StreamState } from '@helix-agents/core/host';
import type { CommitPlan, SessionStore, StreamEntry } from '@helix-agents/core/store';
import { faultyStore, type StoreFaultHook } from '@helix-agents/testing';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { openSqlite } from '@helix-agents/store-sqlite';
import { JSAgentExecutor } from '../src/index.ts';

// What random schedules found, each as the smallest story that shows it.

const input = z.object({});
const ask = defineTool({ name: 'ask', inputSchema: input, execute: 'client' });
const send = defineTool({
  name: 'send',
  inputSchema: input,
  requireApproval: true,
  execute: async () => 'sent',
});
const call = (name: string, id: string = name): LLMToolCall => ({ id, name, arguments: {} });
const finish: LLMToolCall = { id: 'f', name: '__finish__', arguments: { said: 'done' } };

function agent(name: string, tools: NonNullable<AgentConfig['tools']>): AgentConfig {
  return defineAgent({
    name,
    systemPrompt: name,
    llmConfig: { model: 'scripted' },
    outputSchema: z.object({ said: z.string() }),
    tools,
  });
}

it('a tree suspends once when a child ran its approved tool while a grandchild still waits', async () => {
  const leaf = agent('leaf', [ask]);
  const worker = agent('worker', [send, createSubAgentTool(leaf, input)]);
  const root = agent('root', [createSubAgentTool(worker, input)]);
  const first: Record<string, readonly LLMToolCall[]> = {
    root: [call('subagent__worker')],
    worker: [call('send'), call('subagent__leaf')],
    leaf: [call('ask')],
  };
  const model = functionModel(({ agentType, messages }) => ({
    type: 'tool_calls',
    toolCalls: messages.some(({ role }) => role === 'assistant')
      ? [finish]
      : (first[agentType] ?? []),
  }));
  const stateStore = new InMemoryStateStore();
  const executor = new JSAgentExecutor(stateStore, new InMemoryStreamManager(), model);
  const asked = await (await executor.execute(root, 'go', { sessionId: 's' })).result();
  if (!('suspended' in asked)) throw new Error(asked.status);
  const approval = asked.suspended.toolCallIds.find((id) => id.startsWith('send')) ?? '';
  await executor.submitToolResult({
    kind: 'approval-response',
    sessionId: 's',
    toolCallId: approval,
    approved: true,
  });

  const waiting = await (await executor.resume('s')).result();

  expect(waiting).toMatchObject({ status: 'suspended_awaiting_children' });
  const calls = await stateStore.sessions.readCalls('s');
  expect(calls.map((row) => [row.toolName, row.state]).toSorted(byText)).toEqual([
    ['ask', 'open'],
    ['send', 'settled'],
  ]);
  const runs = await stateStore.sessions.readRuns({ rootId: 's', sessionId: 's-sub-1-0' });
  expect(runs.map((run) => run.status)).toEqual([
    'suspended_client_tool',
    'suspended_step_partial',
  ]);
});

it('the stream says that a run failed when it is aborted after it had suspended', async () => {
  const { executor, streams } = world(async () => ({
    type: 'tool_calls',
    toolCalls: [call('ask')],
  }));
  await (await executor.execute(agent('root', [ask]), 'go', { sessionId: 's' })).result();

  await executor.abort('s');

  expect(await typesIn(streams)).toEqual(
    expect.arrayContaining(['run_suspended', 'tool_end', 'run_failed']),
  );
});

it('the stream withdraws the text of a model answer that an abort left without a record', async () => {
  let asked = (): void => {};
  const thinking = new Promise<void>((resolve) => (asked = resolve));
  const { executor, streams } = world(async ({ callbacks }) => {
    await callbacks.onTextDelta('half an answer');
    asked();
    return new Promise<never>(() => {});
  });
  await executor.execute(agent('root', []), 'go', { sessionId: 's' });
  await thinking;
  await expect.poll(() => typesIn(streams)).toContain('text_delta');

  await executor.abort('s');

  const types = await typesIn(streams);
  expect(types.lastIndexOf('step_discarded')).toBeGreaterThan(types.lastIndexOf('text_delta'));
});

it('the stream withdraws the text of a model answer that could not be recorded before the model is asked again', async () => {
  const { executor, streams } = world(
    async ({ callbacks }) => {
      await callbacks.onTextDelta('hello');
      return { type: 'tool_calls', content: 'hello', toolCalls: [finish] };
    },
    refusing(3, (plan) => plan.insert?.journal?.some((row) => row.kind === 'plan') ?? false),
  );

  await (await executor.execute(agent('root', []), 'go', { sessionId: 's' })).result();

  const told = (await typesIn(streams)).filter((type) => /text_delta|discarded/.test(type));
  expect(told).toEqual(['text_delta', 'step_discarded', 'text_delta']);
});

it('what comes after a lost model answer has another step number, so that a late withdrawal means the lost one alone', async () => {
  let asked = 0;
  const { executor, streams } = world(async ({ callbacks }) => {
    asked += 1;
    await callbacks.onTextDelta('hello');
    if (asked === 1)
      throw new HelixError({ code: 'provider_error', message: 'no', retryable: false });
    return { type: 'tool_calls', content: 'hello', toolCalls: [finish] };
  });
  const root = agent('root', []);
  const failed = await (await executor.execute(root, 'go', { sessionId: 's' })).result();
  expect(failed.status).toBe('failed');

  await (await executor.retry(root, 's')).result();

  const told = (await streams.readChunks('s'))
    .map(({ chunk }) => [chunk.type, chunk.step])
    .filter(([type]) => /text_delta|discarded/.test(String(type)));
  expect(told.filter(([type]) => type === 'text_delta')).toEqual([
    ['text_delta', 1],
    ['text_delta', 2],
  ]);
  expect(told.filter(([type]) => type === 'step_discarded')).toContainEqual(['step_discarded', 1]);
  expect(told).not.toContainEqual(['step_discarded', 2]);
});

it('the stream ends a call only when its result is durable, also when the commit has to be tried again', async () => {
  const root: AgentConfig = { ...agent('root', []), durability: 'step' };
  const endsBefore: number[] = [];
  let refusals = 3;
  const { executor, streams } = world(
    async () => ({ type: 'tool_calls', toolCalls: [finish] }),
    async (_method, plan) => {
      const closes =
        plan?.insert?.messages?.some(({ message }) => message.role === 'tool') ?? false;
      if (!closes) return 'pass';
      endsBefore.push((await typesIn(streams)).filter((type) => type === 'tool_end').length);
      return (refusals -= 1) >= 0 ? 'fail-before' : 'pass';
    },
  );

  const ended = await (await executor.execute(root, 'go', { sessionId: 's' })).result();

  expect(ended.status).toBe('completed');
  expect(endsBefore).toEqual([0, 0, 0, 0]);
  expect(await typesIn(streams)).toContain('tool_end');
});

it('the announcer writes to a stream that an earlier run closed late, and not to one that is closed rightly', async () => {
  const streams = new InMemoryStreamManager();
  let wanted: StreamState = { as: 'active' };
  const announcer = createAnnouncer(streams, noopLogger, systemClock, async () => wanted);
  const chunk = {
    agentId: 's',
    agentType: 'root',
    timestamp: 0,
    step: 1,
    type: 'text_delta',
  } as const;
  const say = (delta: string): StreamEntry[] => [{ chunk: { ...chunk, delta } }];
  await announcer.announce('s', say('one'));

  await streams.pauseStream('s');
  await announcer.stream('s', say('two'));
  wanted = { as: 'failed', error: 'aborted' };
  await streams.pauseStream('s');
  await announcer.stream('s', say('live text of a run that is over'));
  await announcer.announce('s', say('three'));
  await streams.failStream('s', 'aborted');
  await announcer.announce('s', say('of a process that is late'));

  const chunks = await streams.readChunks('s');
  expect(chunks.map((stored) => 'delta' in stored.chunk && stored.chunk.delta)).toEqual([
    'one',
    'two',
    'three',
  ]);
});

it('the announcer closes a stream again after a late chunk, unless its end is still missing', async () => {
  const streams = new InMemoryStreamManager();
  const wanted: StreamState = { as: 'failed', error: 'aborted' };
  const announcer = createAnnouncer(streams, noopLogger, systemClock, async () => wanted);
  const body = { agentId: 's', agentType: 'root', timestamp: 0, step: 1, delta: '' };
  const late: StreamEntry[] = [{ chunk: { ...body, type: 'text_delta' } }];
  const status = async (): Promise<unknown> => (await streams.getStreamInfo('s'))?.status;
  await streams.openStream('s');

  await streams.pauseStream('s');
  await announcer.add('s', late);
  expect(await status(), 'the run has failed, and the stream does not say so yet').toBe('active');
  await streams.failStream('s', 'aborted');
  await announcer.add('s', late);
  expect(await status()).toBe('failed');
  expect(await streams.readChunks('s')).toHaveLength(2);
});

it('the announcer writes nothing to a stream that it opened late for a run that another process has ended', async () => {
  const streams = new InMemoryStreamManager();
  let now = 0;
  const opensAfter = (ms: number): StreamManager => ({
    createWriter: (...args) => streams.createWriter(...args),
    append: (...args) => streams.append(...args),
    endStream: (...args) => streams.endStream(...args),
    failStream: (...args) => streams.failStream(...args),
    createReader: (...args) => streams.createReader(...args),
    getStreamInfo: (...args) => streams.getStreamInfo(...args),
    async openStream(streamId) {
      now += ms;
      await streams.openStream(streamId);
    },
  });
  const live: StreamEntry = {
    chunk: {
      agentId: 's',
      agentType: 'root',
      timestamp: 0,
      step: 1,
      type: 'text_delta',
      delta: 'x',
    },
  };
  const openFor = async (ms: number): Promise<unknown> => {
    const clock = { ...systemClock, now: () => now };
    const announcer = createAnnouncer(opensAfter(ms), noopLogger, clock, async () => ({
      as: 'ended',
    }));
    const creator = { sessionId: 's', agentType: 'root' };
    const opening = announcer.open('s', creator, async () => ({ as: 'ended' }));
    const saying = announcer.stream('s', [live]);
    await Promise.all([opening, saying]);
    return streams.getStreamInfo('s');
  };

  await streams.createWriter('s', 's', 'root');
  await streams.endStream('s');
  expect(await openFor(60_000)).toMatchObject({ status: 'ended', head: 0 });
  expect(await openFor(1)).toMatchObject({ status: 'active', head: 1 });
});

it('abort ends a run that its own process has just stopped, without writing again what the stop wrote', async () => {
  const { stateStore, streamManager, usageStore, close } = openSqlite(':memory:');
  const { sessions, index } = stateStore;
  const refused: CommitPlan[] = [];
  const watched: SessionStore = {
    ...sessions,
    async commit(plan) {
      const isApplied = await sessions.commit(plan);
      const status = plan.sessions?.[0]?.set?.status;
      if (!isApplied && status === 'failed') refused.push(plan);
      // It would be tried again for as long as the run has not heard of its stop.
      if (refused.length > 0) throw new Error('refused');
      // The stop is written, and its run has not heard of it yet.
      if (status === 'interrupted') await executor.abort('s');
      return isApplied;
    },
  };
  const work = defineTool({
    name: 'work',
    inputSchema: input,
    execute: async () => {
      // Of another process: this one finds it when it settles the step.
      await sessions.requestInterrupt({ rootId: 's', sessionId: 's' }, null, Date.now());
      return 'worked';
    },
  });
  const model = functionModel(() => ({ type: 'tool_calls', toolCalls: [call('work')] }));
  const executor = new JSAgentExecutor({ sessions: watched, index }, streamManager, model);

  const worker: AgentConfig = { ...agent('root', [work]), durability: 'call' };
  await (await executor.execute(worker, 'go', { sessionId: 's' })).result();

  const session = await sessions.readSession({ rootId: 's', sessionId: 's' });
  expect(session).toMatchObject({ status: 'failed', failureReason: 'aborted' });
  expect(refused).toEqual([]);
  expect(await usageStore.getEntries('s', { kinds: ['tool'] })).toHaveLength(1);
  close();
});

/** Loses the first `count` commits that fit before they are written. */
function refusing(count: number, fits: (plan: CommitPlan) => boolean): StoreFaultHook {
  let left = count;
  return (_method, plan) => (plan && fits(plan) && (left -= 1) >= 0 ? 'fail-before' : 'pass');
}

function world(
  generateStep: LLMAdapter['generateStep'],
  faults: StoreFaultHook = () => 'pass',
): { executor: JSAgentExecutor; streams: InMemoryStreamManager } {
  const { sessions, index } = new InMemoryStateStore();
  const streams = new InMemoryStreamManager();
  const stateStore = { sessions: faultyStore(sessions, faults), index };
  return { executor: new JSAgentExecutor(stateStore, streams, { generateStep }), streams };
}

async function typesIn(streams: InMemoryStreamManager): Promise<string[]> {
  return (await streams.readChunks('s')).map(({ chunk }) => chunk.type);
}

function byText(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}

it('a message to a run that its process has given back is refused while that process shuts down', async () => {
  const note = defineTool({ name: 'note', inputSchema: input, execute: async () => 'noted' });
  let thoughts = 0;
  const llmAdapter = functionModel(({ abortSignal }) => {
    thoughts += 1;
    if (thoughts > 1) return { type: 'tool_calls', toolCalls: [call('note', `n${thoughts}`)] };
    return new Promise((_, reject) => {
      abortSignal?.addEventListener('abort', () => reject(new Error('cut')));
    });
  });
  const executor = new JSAgentExecutor({
    stateStore: new InMemoryStateStore(),
    streamManager: new InMemoryStreamManager(),
    llmAdapter,
  });
  const root = agent('root', [note]);
  const handle = await executor.execute(root, 'Begin', { sessionId: 's1' });
  const end = handle.result().catch((error: unknown) => error);
  await executor.shutdown({ graceMs: 0 });
  expect(await end).toMatchObject({ code: 'run_handed_over' });
  await expect(executor.execute(root, 'Go on', { sessionId: 's1' })).rejects.toMatchObject({
    code: 'run_handed_over',
  });
  expect(thoughts).toBeLessThan(3);
});
