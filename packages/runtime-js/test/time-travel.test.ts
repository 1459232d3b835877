import { defineAgent, defineTool, functionModel, type StepResult } from '@helix-agents/core';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { openSqlite } from '@helix-agents/store-sqlite';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

/** Going back to a checkpoint, or branching from one, must leave a transcript every provider accepts. */

const agent = defineAgent({
  name: 'traveller',
  systemPrompt: 'travel',
  llmConfig: { model: 'm' },
  stateSchema: z.object({ steps: z.array(z.number()).default([]) }),
  tools: [
    defineTool({
      name: 'count',
      inputSchema: z.object({}),
      execute: (_input, ctx) => {
        ctx.updateState<{ steps: number[] }>(
          (state) => void state.steps.push(state.steps.length + 1),
        );
        return 'counted';
      },
    }),
    defineTool({ name: 'ask', inputSchema: z.object({}), execute: 'client' }),
  ],
});

/** Counts twice, asks a person, then ends. */
const model = functionModel(({ messages }): StepResult => {
  const steps = messages.filter((message) => message.role === 'assistant').length;
  if (steps < 2)
    return { type: 'tool_calls', toolCalls: [{ id: 'c', name: 'count', arguments: {} }] };
  if (steps === 2)
    return { type: 'tool_calls', toolCalls: [{ id: 'q', name: 'ask', arguments: {} }] };
  return { type: 'text', content: `ended after ${steps}`, shouldStop: true };
});

const stores = [
  {
    name: 'memory',
    open: () => ({
      stateStore: new InMemoryStateStore(),
      streamManager: new InMemoryStreamManager(),
    }),
  },
  { name: 'sqlite', open: () => openSqlite(':memory:') },
];

describe.each(stores)('time travel on $name', ({ open }) => {
  async function suspended() {
    const { stateStore, streamManager } = open();
    const executor = new JSAgentExecutor(stateStore, streamManager, model);
    const handle = await executor.execute(agent, 'go', { sessionId: 's' });
    expect((await handle.result()).status).toBe('suspended_client_tool');
    const ref = { rootId: 's', sessionId: 's' };
    const checkpoints = (await stateStore.sessions.readCheckpoints(ref)).toReversed();
    return { executor, store: stateStore.sessions, ref, checkpoints };
  }

  it('writes one checkpoint per step and one at the first suspension', async () => {
    const { checkpoints } = await suspended();
    expect(checkpoints.map((one) => [one.status, one.messageCount])).toEqual([
      ['running', 3],
      ['running', 5],
      ['suspended_client_tool', 6],
    ]);
  });

  it('goes back in place: later messages, checkpoints and open calls are gone, step ids go on', async () => {
    const { executor, store, ref, checkpoints } = await suspended();
    const [first] = checkpoints;
    if (!first) throw new Error('no checkpoint');
    const before = await store.readSession(ref);
    const again = await executor.resume('s', { checkpointId: first.checkpointId });
    expect((await again.result()).status).toBe('suspended_client_tool');
    const session = await store.readSession(ref);
    expect(session?.customState).toEqual({ steps: [1, 2] });
    expect(session?.stepId).toBeGreaterThan(before?.stepId ?? Infinity);
    expect((await store.readMessages(ref)).map((row) => row.sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    const calls = await store.readCalls('s');
    expect(calls.map((row) => [row.state, row.outcome]).toSorted(byText)).toEqual([
      ['open', null],
      ['settled', 'cancelled'],
    ]);
    const [old, open] = [
      calls.find((row) => row.state === 'settled'),
      calls.find((row) => row.state === 'open'),
    ];
    const submit = (toolCallId = '') =>
      executor.submitToolResult({
        kind: 'client-tool-result',
        sessionId: 's',
        toolCallId,
        result: 1,
      });
    expect(await submit(old?.toolCallId)).toEqual({
      status: 'unknown_tool_call',
      reason: 'cancelled',
    });
    expect(await submit(open?.toolCallId)).toEqual({ status: 'accepted' });
    expect(await (await executor.resume('s')).result()).toEqual({
      status: 'completed',
      output: 'ended after 3',
    });
    const runs = await store.readRuns(ref);
    expect(runs.map((run) => run.fromCheckpointId)).toEqual([null, first.checkpointId, null]);
  });

  it('goes back to a suspension by asking the model again', async () => {
    const { executor, store, ref, checkpoints } = await suspended();
    const last = checkpoints.at(-1);
    const again = await executor.resume('s', { checkpointId: last?.checkpointId ?? '' });
    expect((await again.result()).status).toBe('suspended_client_tool');
    expect((await store.readMessages(ref)).length).toBe(6);
    expect((await executor.listOpenCalls()).items.length).toBe(1);
  });

  it('TURN-05 branches from a checkpoint with an open call: closed in the branch, untouched in the original', async () => {
    const { executor, store, checkpoints } = await suspended();
    const { sessionId } = await executor.branchSession('s', {
      checkpointId: checkpoints.at(-1)?.checkpointId ?? '',
    });
    const branch = { rootId: sessionId, sessionId };
    const copied = await store.readMessages(branch);
    expect(copied.at(-1)?.message).toMatchObject({
      role: 'tool',
      success: false,
      errorDetail: { code: 'aborted' },
    });
    expect(await store.readCalls(sessionId)).toEqual([]);
    expect(
      await executor.submitToolResult({
        kind: 'client-tool-result',
        sessionId: 's',
        toolCallId: 'q',
        result: 1,
      }),
    ).toEqual({ status: 'accepted' });
    expect(await (await executor.resume(agent, sessionId)).result()).toEqual({
      status: 'completed',
      output: 'ended after 3',
    });
    expect((await store.readRuns(branch)).map((run) => [run.turn, run.previousRunId])).toEqual([
      [1, null],
    ]);
    expect(await (await executor.resume('s')).result()).toEqual({
      status: 'completed',
      output: 'ended after 3',
    });
  });

  it('refuses an unknown checkpoint, a taken branch id and a running session, and changes nothing', async () => {
    const { executor, store, ref } = await suspended();
    const before = await store.readSession(ref);
    await expect(executor.resume('s', { checkpointId: 'nope' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    await expect(executor.branchSession('s', { sessionId: 's' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect(await store.readSession(ref)).toEqual(before);
  });
});

function byText(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}
