// If this fails: what a user relies on besides the scenarios - ids, histories, takeovers, schedules - does not hold.
import { functionModel, InvalidRequestError, StoreUnavailableError } from '@helix-agents/core';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { describeServer, sharedServerUrl } from '@helix-agents/test-servers';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  bundleAgentWorkflow,
  GenericActivities,
  INTERRUPT_SIGNAL_NAME,
  startSweepSchedule,
  type TemporalAgentExecutor,
} from '../src/index.ts';
import { openStreet, quiet, type Shop, type ShopOptions, type Street } from './shops.ts';

const PATIENCE = { timeout: 300_000, interval: 50 };

describe('the workflow bundle', () => {
  it('holds the loop and nothing of node, of a store or of a schema library', async () => {
    const { code } = await bundleAgentWorkflow({ logger: quiet });
    const modules = [...code.matchAll(/^\/\*{3}\/ "(\.[^"]+)"/gm)].map((match) => match[1] ?? '');
    const own = modules.filter((module) => module.startsWith('./packages/'));
    expect(own.length).toBeGreaterThan(5);
    const strange = own.filter(
      (module) => !/^\.\/packages\/(runtime-temporal\/src|core\/src\/loop(\.ts|\/))/.test(module),
    );
    expect(strange).toEqual([]);
    expect(modules.filter((module) => /zod|immer|node:/.test(module))).toEqual([]);
  });
});

describe('GenericActivities', () => {
  it('makes the activities of a worker', () => {
    const activities: GenericActivities = new GenericActivities({
      stateStore: new InMemoryStateStore(),
      streamManager: new InMemoryStreamManager(),
      llmAdapter: functionModel(() => ({ type: 'text', content: 'done', shouldStop: true })),
    });
    expect(Object.keys(activities)).toContain('beginRun');
  });
});

describeServer('temporal', () => {
  let street: Street;
  let client: Client;
  beforeAll(async () => {
    street = await openStreet(await sharedServerUrl('temporal'));
    ({ client } = street);
  }, 20 * 60_000);
  afterAll(() => street.close());

  const openShop = (options?: ShopOptions): Shop => street.openShop(options);

  it('HTTP-07 the executor refuses ids that Temporal could not have, before anything is written', async () => {
    const { agent, executor, stateStore } = openShop({ workflowIdPrefix: 'p'.repeat(200) });
    const refused = ['ア'.repeat(256), '\ud800'];
    for (const sessionId of refused) {
      await expect(executor.execute(agent, 'plain', { sessionId })).rejects.toThrow(
        InvalidRequestError,
      );
    }
    const { items } = await stateStore.index.listSessions();
    expect(items).toEqual([]);
  });

  it('HTTP-07 the executor keeps strange ids apart', async () => {
    const { agent, executor, startWorker } = openShop();
    await startWorker();
    const ids = ['a:b*', '../a', 'a__b', 'a', 'а', 'a__resume-1', '%00', '🙂'];
    const handles = await Promise.all(
      ids.map((sessionId) => executor.execute(agent, 'plain', { sessionId })),
    );
    for (const handle of handles) expect(await handle.result()).toMatchObject({ output: 'done' });
  });

  it('a run goes on in a new history when one grows long, as the same run', async () => {
    const { agent, executor, prefix, stateStore, startWorker } = openShop({
      settings: { maxHistoryEvents: 40 },
    });
    await startWorker();
    const handle = await executor.execute(agent, 'long', { sessionId: 's' });
    expect(await handle.result()).toEqual({ status: 'completed', output: 'done' });
    const workflow = client.workflow.getHandle(`${prefix}__work__s`);
    const described = await workflow.describe();
    expect(described.memo, 'by which it is known to be alive').toMatchObject({
      sessionId: 's',
      runId: handle.runId,
    });
    const { events } = await workflow.fetchHistory();
    const started = events?.[0]?.workflowExecutionStartedEventAttributes;
    expect(started?.continuedExecutionRunId).not.toBe('');
    expect((await executor.listRuns('s')).runs).toHaveLength(1);
    const session = await stateStore.sessions.readSession({ rootId: 's', sessionId: 's' });
    expect(session).toMatchObject({ epoch: 1, recoveries: 0, stepCount: 7 });
  });

  it('a step with one tool takes three activities, whose arguments are ids alone', async () => {
    const { agent, executor, prefix, startWorker } = openShop();
    await startWorker();
    await (await executor.execute(agent, 'long', { sessionId: 's' })).result();
    const { events } = await client.workflow.getHandle(`${prefix}__work__s`).fetchHistory();
    const names = events?.flatMap(
      ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
    );
    const step = ['think', 'runTool', 'settleStep'];
    const steps = [...Array(6).keys()].flatMap(() => step);
    expect(names).toEqual(['beginRun', 'settleStep', ...steps, 'think', 'settleStep', 'endRun']);
    const sizes = events?.flatMap(({ activityTaskCompletedEventAttributes: done }) =>
      (done?.result?.payloads ?? []).map(({ data }) => data?.length ?? 0),
    );
    expect(Math.max(...(sizes ?? []))).toBeLessThan(500);
    expect(JSON.stringify(events)).not.toContain(Buffer.from('look done').toString('base64'));
  });

  it('RES-09 eight resumes at once start one workflow, with a number from the store', async () => {
    const { agent, executor, prefix, startWorker } = openShop();
    await startWorker();
    const handle = await executor.execute(agent, 'human', { sessionId: 's' });
    expect(await handle.result()).toMatchObject({ status: 'suspended_client_tool' });
    const { status } = await client.workflow.getHandle(`${prefix}__work__s`).describe();
    expect(status.name, 'a workflow ends when a person is asked').toBe('COMPLETED');
    await executor.submitToolResult({
      kind: 'client-tool-result',
      sessionId: 's',
      toolCallId: 'pick-0',
      result: 'red',
    });
    const resumed = await Promise.all(
      [...Array(8).keys()].map(() => executor.resume('s', { ifRunning: 'attach' })),
    );
    for (const one of resumed) expect(await one.result()).toMatchObject({ output: 'done' });
    expect((await executor.listRuns('s')).runs).toHaveLength(2);
    const described = await client.workflow.getHandle(`${prefix}__work__s__resume-1`).describe();
    expect(described.memo).toMatchObject({ sessionId: 's', agentType: 'work' });
  });

  it('RES-09 a late duplicate of a start never runs, and an early one gets the same run', async () => {
    const starts: Parameters<Client['workflow']['start']>[] = [];
    const spying = {
      workflow: {
        start: (...given: Parameters<Client['workflow']['start']>) => {
          starts.push(given);
          return client.workflow.start(...given);
        },
        getHandle: client.workflow.getHandle.bind(client.workflow),
      },
      withAbortSignal: client.withAbortSignal.bind(client),
    } as unknown as Client;
    const { agent, executor, prefix, startWorker } = openShop({ client: spying });
    await startWorker();
    const handle = await executor.execute(agent, 'wait', { sessionId: 's' });
    const workflow = client.workflow.getHandle(`${prefix}__work__s`);
    const { runId } = await workflow.describe();
    const [first] = starts;
    if (!first) throw new Error('nothing was started');
    const early = await client.workflow.start(...first);
    expect(early.firstExecutionRunId).toBe(runId);
    await executor.interrupt('s');
    expect(await handle.result()).toEqual({ status: 'interrupted' });
    await workflow.result();
    await expect(client.workflow.start(...first)).rejects.toThrow(
      WorkflowExecutionAlreadyStartedError,
    );
    expect((await workflow.describe()).runId).toBe(runId);
    expect((await executor.listRuns('s')).runs).toHaveLength(1);
  });

  it('RECV-10 recovery starts the workflow of a claim whose process died before it did', async () => {
    let now = Date.now();
    const clock = { now: () => now, setTimer: () => () => {} };
    const { agent, executor, startWorker, stateStore, prefix } = openShop();
    const over = (through: Client): TemporalAgentExecutor =>
      openShop({
        stateStore,
        clock,
        client: through,
        taskQueue: prefix,
        workflowIdPrefix: prefix,
      }).executor;
    const broken = {
      workflow: { start: () => Promise.reject(new Error('gone')), getHandle: () => ({}) },
    } as unknown as Client;
    await expect(over(broken).execute(agent, 'plain', { sessionId: 's' })).rejects.toMatchObject({
      code: 'run_not_started',
    });
    await startWorker();
    expect(await over(client).sweep(), 'it may be on its way').toMatchObject({ recovered: 0 });
    now += 11_000;
    expect(await over(client).sweep()).toMatchObject({ recovered: 1 });
    const handle = await executor.getHandle(agent, 's');
    expect(await handle?.result()).toMatchObject({ output: 'done' });
    expect((await executor.listRuns('s')).runs).toHaveLength(1);
  });

  it('RECV-07 recovery takes over a run whose workflow was terminated, and counts it', async () => {
    const { agent, executor, prefix, stateStore, startWorker } = openShop();
    const other = await executor.execute(agent, 'plain', { sessionId: 's' });
    const worker = await startWorker();
    const held = await executor.execute(agent, 'wait', { sessionId: 'w' });
    await vi.waitUntil(
      async () =>
        (await stateStore.sessions.readStep({ rootId: 'w', sessionId: 'w' }))?.journal.length === 1,
      PATIENCE,
    );
    await expect(executor.resume('w')).rejects.toMatchObject({ code: 'run_already_running' });
    await client.workflow.getHandle(`${prefix}__work__w`).terminate('by an operator');
    const again = await executor.resume('w');
    expect(again.runId).toBe(held.runId);
    const session = await stateStore.sessions.readSession({ rootId: 'w', sessionId: 'w' });
    expect(session).toMatchObject({ epoch: 2, recoveries: 1 });
    await executor.interrupt('w');
    expect(await again.result()).toEqual({ status: 'interrupted' });
    expect(await other.result()).toMatchObject({ status: 'completed' });
    expect(worker.getState()).toBe('RUNNING');
  });

  it('CHLD-03 recovery takes over a tree whose workflows were all terminated', async () => {
    const { agent, executor, prefix, stateStore, startWorker } = openShop();
    await startWorker();
    await executor.execute(agent, 'waiting', { sessionId: 's' });
    const child = { rootId: 's', sessionId: 's-sub-1-0' };
    await vi.waitUntil(
      async () => (await stateStore.sessions.readStep(child))?.journal.length === 1,
      PATIENCE,
    );
    for (const id of ['work__s', 'child__s-sub-1-0'])
      await client.workflow.getHandle(`${prefix}__${id}`).terminate('by an operator');
    const handle = await executor.resume('s');
    await vi.waitUntil(
      async () => (await stateStore.sessions.readSession(child))?.epoch === 2,
      PATIENCE,
    );
    await executor.interrupt('s');
    expect(await handle.result()).toEqual({ status: 'interrupted' });
    expect(await stateStore.sessions.readSession(child)).toMatchObject({
      status: 'interrupted',
      recoveries: 1,
    });
    expect((await executor.listRuns('s')).runs).toHaveLength(1);
  });

  it('the agent workflow runs beside workflows of the application, under a name of its choice', async () => {
    const { agent, executor, prefix, startWorker } = openShop({
      workflowName: 'deskWorkflow',
      workflowsPath: new URL('own-workflows.ts', import.meta.url).pathname,
    });
    await startWorker();
    const handle = await executor.execute(agent, 'child', { sessionId: 's' });
    expect(await handle.result()).toEqual({ status: 'completed', output: 'done' });
    const child = await client.workflow.getHandle(`${prefix}__child__s-sub-1-0`).describe();
    expect(child.type).toBe('deskWorkflow');
    const workflowId = `${prefix}-greet`;
    const greeting = { args: ['Ada'], taskQueue: prefix, workflowId };
    expect(await client.workflow.execute('greetWorkflow', greeting)).toBe('Hello, Ada');
  });

  it('the cancellation of a workflow is a soft stop of its run', async () => {
    const { agent, executor, prefix, startWorker } = openShop();
    await startWorker();
    const handle = await executor.execute(agent, 'wait', { sessionId: 's' });
    await vi.waitUntil(
      async () => (await executor.getCurrentRun('s'))?.status === 'running',
      PATIENCE,
    );
    await client.workflow.getHandle(`${prefix}__work__s`).cancel();
    expect(await handle.result()).toEqual({ status: 'interrupted' });
  });

  it('the cancellation of a workflow while the store is down stops its run when the store is back', async () => {
    let isDown = false;
    let refused = 0;
    const { agent, executor, prefix, startWorker } = openShop({
      settings: { maxAttempts: 1 },
      before(method) {
        if (!isDown || method !== 'commit') return 'pass';
        refused += 1;
        throw new StoreUnavailableError(new Error('connection refused'));
      },
    });
    await startWorker();
    const handle = await executor.execute(agent, 'wait', { sessionId: 's' });
    await vi.waitUntil(
      async () => (await executor.getCurrentRun('s'))?.status === 'running',
      PATIENCE,
    );
    isDown = true;
    await client.workflow.getHandle(`${prefix}__work__s`).cancel();
    await vi.waitUntil(() => refused > 0, PATIENCE);
    isDown = false;
    expect(await handle.result()).toEqual({ status: 'interrupted' });
  });

  it('a signal by INTERRUPT_SIGNAL_NAME is an interrupt of the run, with a reason', async () => {
    const { agent, executor, prefix, startWorker } = openShop();
    await startWorker();
    const handle = await executor.execute(agent, 'wait', { sessionId: 's' });
    await vi.waitUntil(
      async () => (await executor.getCurrentRun('s'))?.status === 'running',
      PATIENCE,
    );
    await client.workflow.getHandle(`${prefix}__work__s`).signal(INTERRUPT_SIGNAL_NAME, 'enough');
    expect(await handle.result()).toEqual({ status: 'interrupted' });
    const chunks = [];
    for await (const chunk of handle) chunks.push(chunk);
    expect(chunks.at(-1)).toMatchObject({ type: 'run_interrupted', reason: 'enough' });
  });

  it('DEAD-01 a schedule expires deadlines and resumes answered sessions', async () => {
    const { agent, executor, prefix, stateStore, startWorker } = openShop();
    await startWorker();
    await (await executor.execute(agent, 'human', { sessionId: 'answered' })).result();
    await (await executor.execute(agent, 'late', { sessionId: 'expired' })).result();
    await executor.submitToolResult({
      kind: 'client-tool-result',
      sessionId: 'answered',
      toolCallId: 'pick-0',
      result: 'red',
    });
    const schedule = {
      client,
      scheduleId: `${prefix}-sweep`,
      taskQueue: prefix,
      everyMs: 1_000,
      autoResume: true,
    };
    await startSweepSchedule(schedule);
    await startSweepSchedule(schedule);
    onTestFinished(() => client.schedule.getHandle(schedule.scheduleId).delete());
    for (const sessionId of ['answered', 'expired']) {
      const isDone = async (): Promise<boolean> =>
        (await stateStore.sessions.readSession({ rootId: sessionId, sessionId }))?.status ===
        'completed';
      await vi.waitUntil(isDone, PATIENCE);
    }
    const expired = await stateStore.sessions.readMessages({
      rootId: 'expired',
      sessionId: 'expired',
    });
    const results = expired.flatMap(({ message }) => (message.role === 'tool' ? [message] : []));
    expect(results).toHaveLength(1);
    expect(results[0]?.content).toContain('did not answer this tool call in time');
  });
});
