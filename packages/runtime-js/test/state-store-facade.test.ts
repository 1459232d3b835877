import { defineAgent, defineTool, MockLLMAdapter, type ScriptedStep } from '@helix-agents/core';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

const agent = defineAgent({
  name: 'helper',
  systemPrompt: 'help',
  llmConfig: { model: 'm' },
  tools: [
    defineTool({ name: 'look', inputSchema: z.object({}), execute: async () => 'seen' }),
    defineTool({ name: 'ask', inputSchema: z.object({}), execute: 'client' }),
  ],
});

const bothTools: ScriptedStep = {
  type: 'tool_calls',
  toolCalls: [
    { id: 'c1', name: 'ask', arguments: {} },
    { id: 'c2', name: 'look', arguments: {} },
  ],
};
const answer = (content: string): ScriptedStep => ({ type: 'text', content, shouldStop: true });

function start(steps: ScriptedStep[]): { store: InMemoryStateStore; executor: JSAgentExecutor } {
  const store = new InMemoryStateStore();
  const streams = new InMemoryStreamManager({ database: store.database });
  return { store, executor: new JSAgentExecutor(store, streams, new MockLLMAdapter(steps)) };
}

/** A session whose first answer was stopped. */
async function stopInTheMiddle(): Promise<ReturnType<typeof start>> {
  const speaking = Promise.withResolvers<void>();
  const cut: ScriptedStep = async ({ callbacks, abortSignal }) => {
    await callbacks.onThinking('hm', true);
    await callbacks.onTextDelta('I think');
    speaking.resolve();
    return new Promise((_, reject) => {
      abortSignal.addEventListener('abort', () => reject(new Error('stopped')));
    });
  };
  const started = start([cut, answer('hello')]);
  const handle = await started.executor.execute(agent, 'hi', { sessionId: 's1' });
  await speaking.promise;
  await started.executor.interrupt('s1');
  expect(await handle.result()).toEqual({ status: 'interrupted' });
  return started;
}

describe('the state store beside an executor', () => {
  it('does not append what a stopped model said to a transcript that was changed by hand', async () => {
    const { store, executor } = await stopInTheMiddle();
    await store.truncateMessages('s1', 0);
    expect(await store.getAllMessages('s1')).toEqual([]);
    const handle = await executor.execute(agent, 'edited', { sessionId: 's1' });
    expect(await handle.result()).toMatchObject({ output: 'hello' });
    expect(await store.getAllMessages('s1')).toMatchObject([
      { content: 'edited' },
      { content: 'hello' },
    ]);
  });

  it('shows after the transcript what a model said until it was stopped', async () => {
    const { store, executor } = await stopInTheMiddle();
    const said = { role: 'assistant', content: 'I think', thinking: 'hm', stopped: true };
    expect(await store.getAllMessages('s1')).toMatchObject([{ content: 'hi' }, said]);
    expect(await store.getMessages('s1', { offset: 1, includeThinking: false })).toEqual({
      messages: [expect.not.objectContaining({ thinking: 'hm' })],
      total: 2,
      hasMore: false,
    });
    expect(await store.getMessages('s1', { limit: 1 })).toMatchObject({ total: 2, hasMore: true });
    const resumed = await executor.resume(agent, 's1');
    expect(await resumed.result()).toMatchObject({ output: 'hello' });
    expect(await store.getAllMessages('s1')).toMatchObject([
      { content: 'hi' },
      { content: 'hello' },
    ]);
  });

  it('lets a session that was created by hand be executed', async () => {
    const { store, executor } = start([answer('hello')]);
    await store.createSession('s1', { agentType: 'helper', tags: ['mine'] });
    await store.appendMessages('s1', [{ role: 'user', content: 'context' }]);
    const handle = await executor.execute(agent, 'hi', { sessionId: 's1' });
    expect(await handle.result()).toMatchObject({ status: 'completed', output: 'hello' });
    expect(await store.loadState('s1')).toMatchObject({
      status: 'completed',
      output: 'hello',
      tags: ['mine'],
      runId: handle.runId,
    });
    const messages = await store.getAllMessages('s1');
    expect(messages.map(({ content }) => content)).toEqual(['context', 'hi', 'hello']);
    expect((await store.listRuns('s1')).runs).toMatchObject([{ turn: 1, previousRunId: null }]);
  });

  it('keeps an executor out of a run that is driven by hand', async () => {
    const { store, executor } = start([answer('hello')]);
    await store.createSession('s1', { agentType: 'helper' });
    await store.createRun('s1');
    await expect(executor.execute(agent, 'hi', { sessionId: 's1' })).rejects.toMatchObject({
      code: 'run_already_running',
    });
    await store.updateStatus('s1', 'completed');
    const handle = await executor.execute(agent, 'hi', { sessionId: 's1' });
    expect(await handle.result()).toMatchObject({ status: 'completed' });
    expect((await store.listRuns('s1')).runs.map(({ turn }) => turn)).toEqual([1, 2]);
  });

  it('shows a waiting session, stops it, and resume goes on', async () => {
    const { store, executor } = start([bothTools, answer('done')]);
    const first = await executor.execute(agent, 'hi', { sessionId: 's1' });
    expect(await first.result()).toMatchObject({ status: 'suspended_client_tool' });
    const state = await store.loadState('s1');
    expect(state).toMatchObject({ status: 'active', runStatus: 'suspended_client_tool' });
    expect(Object.keys(state?.pendingClientToolCalls ?? {})).toEqual(['c1']);
    const shown = await store.getMessages('s1');
    expect(shown.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect((await store.getLatestCheckpoint('s1'))?.runStatus).toBe('suspended_client_tool');

    await store.saveState('s1', { version: state?.version ?? 0, tags: ['looked at'] });
    const stopped = await store.compareAndSetStatus('s1', ['paused'], 'interrupted');
    expect(stopped).toMatchObject({ ok: true });
    const second = await executor.resume(agent, 's1');
    expect(await second.result()).toMatchObject({ status: 'completed', output: 'done' });
    const after = await store.getAllMessages('s1');
    expect(after).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', toolCallId: 'c1', success: false, errorDetail: { code: 'aborted' } },
      { role: 'tool', toolCallId: 'c2', success: true, content: 'seen' },
      { role: 'assistant', content: 'done' },
    ]);
    expect(await store.loadState('s1')).toMatchObject({
      tags: ['looked at'],
      pendingClientToolCalls: {},
      completedClientToolCalls: { c1: { outcome: 'cancelled' } },
      resumeCount: 1,
    });
  });

  it('refuses to move a session under a running tool', async () => {
    let proceed = (): void => undefined;
    const gate = new Promise<void>((resolve) => (proceed = resolve));
    const slow = defineTool({ name: 'slow', inputSchema: z.object({}), execute: () => gate });
    const call: ScriptedStep = {
      type: 'tool_calls',
      toolCalls: [{ id: 'c1', name: 'slow', arguments: {} }],
    };
    const { store, executor } = start([call, answer('done')]);
    const handle = await executor.execute({ ...agent, tools: [slow] }, 'hi', { sessionId: 's1' });
    expect(await store.compareAndSetStatus('s1', ['active'], 'failed')).toMatchObject({
      ok: false,
      reason: 'owned',
    });
    const state = await store.loadState<{ note?: string }>('s1');
    await store.saveState('s1', { version: state?.version ?? 0, customState: { note: 'beside' } });
    proceed();
    expect(await handle.result()).toMatchObject({ status: 'completed', output: 'done' });
    expect((await store.loadState('s1'))?.customState).toEqual({ note: 'beside' });
  });
});
