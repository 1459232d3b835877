// If this fails: a worker or a server that dies takes work with it, or work that may happen once happens twice.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentResult, StateStore, StreamManager } from '@helix-agents/core';
import { openSqlite } from '@helix-agents/store-sqlite';
import { describeServer, sharedServerUrl, startTemporal } from '@helix-agents/test-servers';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { bundleAgentWorkflow, TemporalAgentExecutor } from '../src/index.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';
import { workAgent } from './worker/agents.ts';

vi.setConfig({ testTimeout: 180_000 });

interface Office {
  readonly executor: TemporalAgentExecutor;
  /** Of its workflow ids. */
  readonly prefix: string;
  readonly stateStore: StateStore;
  readonly streams: StreamManager;
  /** What was executed: `session tool call`. */
  ledger(): string[];
  worker(hold?: { readonly [sessionId: string]: string }): Promise<WorkerProcess>;
  start(sessionId: string, script: string): Promise<{ result(): Promise<AgentResult> }>;
}

const folder = mkdtempSync(join(tmpdir(), 'helix-workers-'));
const bundle = join(folder, 'workflow.js');
const agent = workAgent('', async () => {});

/** Real worker processes over one SQLite file, on a queue of their own. */
async function openOffice(address: string): Promise<Office> {
  const directory = mkdtempSync(join(folder, 'office-'));
  const [database, ledger] = [join(directory, 'agents.db'), join(directory, 'ledger')];
  const taskQueue = `office-${crypto.randomUUID()}`;
  writeFileSync(ledger, '');
  const { stateStore, streamManager, close } = openSqlite(database, { pollMs: 20 });
  const connection = await Connection.connect({ address });
  const executor = new TemporalAgentExecutor({
    client: new Client({ connection }),
    taskQueue,
    workflowIdPrefix: taskQueue,
    stateStore,
    streamManager,
    agentRegistry: { work: agent },
  });
  const workers: WorkerProcess[] = [];
  onTestFinished(async () => {
    await Promise.all(workers.map((one) => one.end('SIGKILL')));
    await connection.close();
    close();
  });
  return {
    executor,
    prefix: taskQueue,
    stateStore,
    streams: streamManager,
    ledger: () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean),
    async worker(hold = {}) {
      const started = await startWorker({ address, taskQueue, database, ledger, bundle, hold });
      workers.push(started);
      return started;
    },
    start: (sessionId, script) => executor.execute(agent, script, { sessionId }),
  };
}

describeServer('temporal', () => {
  let address: string;
  beforeAll(async () => {
    address = await sharedServerUrl('temporal');
    const logger = new DefaultLogger('ERROR', () => {});
    Runtime.install({ logger });
    writeFileSync(bundle, (await bundleAgentWorkflow({ logger })).code);
  }, 20 * 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('K02–K22 one SIGKILL hits sixteen sessions, each at another point, and another worker goes on', async () => {
    const office = await openOffice(address);
    const first = await office.worker(
      Object.fromEntries(POINTS.map(({ id, place }) => [id, place])),
    );
    const toAnswer = POINTS.filter((point) => point.answer);
    for (const { id, script } of POINTS) await office.start(id, script);
    for (const point of toAnswer) await answer(office, point.id, point.answer as string);
    for (const { id, interrupt } of POINTS) if (interrupt) await office.executor.interrupt(id);
    await first.held(POINTS.map(({ id }) => id));
    await first.end('SIGKILL');
    await office.worker();
    await Promise.all(
      POINTS.map(async ({ id, ends, executed }) => {
        const handle = await office.executor.getHandle(agent, id);
        expect(await handle?.result(), id).toMatchObject(ends);
        const mine = office.ledger().filter((line) => line.startsWith(`${id}`));
        expect(mine.map((line) => line.split(' ')[1] ?? '').toSorted(), id).toEqual(executed);
      }),
    );
    await checkAfterwards(office);
  });

  it('two workers share one run, and each tool runs once', async () => {
    const office = await openOffice(address);
    await Promise.all([office.worker(), office.worker()]);
    const handle = await office.start('s', 'many');
    expect(await handle.result()).toEqual({ status: 'completed', output: 'done' });
    expect(office.ledger()).toHaveLength(12);
    expect(new Set(office.ledger()).size).toBe(12);
  });

  it('RECV-09 a worker that is told to end gives its work to another, and no attempt is used up', async () => {
    const office = await openOffice(address);
    const first = await office.worker({ s: 'in slow', t: 'in model' });
    const handles = [await office.start('s', 'slow'), await office.start('t', 'plain')];
    await first.held(['s', 't']);
    await office.worker();
    await first.end('SIGTERM');
    for (const handle of handles)
      expect(await handle.result()).toEqual({ status: 'completed', output: 'done' });
    const client = new Client({ connection: await Connection.connect({ address }) });
    for (const id of ['s', 't']) {
      const { events } = await client.workflow
        .getHandle(`${office.prefix}__work__${id}`)
        .fetchHistory();
      const attempts = events?.flatMap(
        ({ activityTaskStartedEventAttributes: started }) => started?.attempt ?? [],
      );
      expect(new Set(attempts), id).toEqual(new Set([1]));
    }
    await client.connection.close();
  });

  it('a server that is killed and comes back goes on where it was', async () => {
    const server = await startTemporal({ persistent: true });
    onTestFinished(() => server.stop());
    const office = await openOffice(server.url);
    await office.worker();
    const handle = await office.start('s', 'long');
    await vi.waitUntil(() => office.ledger().length >= 2, { timeout: 60_000 });
    await server.kill();
    await server.restart();
    expect(await handle.result()).toEqual({ status: 'completed', output: 'done' });
    const calls = office.ledger().map((line) => line.split(' ')[2]);
    expect(new Set(calls).size).toBe(6);
  });

  it('INTR-01 an interrupt and an abort reach model calls that run in another process', async () => {
    const office = await openOffice(address);
    await (await office.worker({ soft: 'in model', hard: 'in model' })).held([]);
    const [soft, hard] = [await office.start('soft', 'plain'), await office.start('hard', 'plain')];
    await vi.waitUntil(async () => (await office.executor.getCurrentRun('hard')) !== null);
    expect(await office.executor.interruptAgent('soft')).toMatchObject({ status: 'requested' });
    expect(await soft.result()).toEqual({ status: 'interrupted' });
    expect(await office.executor.abortAgent('hard', 'enough')).toEqual({ status: 'aborted' });
    expect(await hard.result()).toMatchObject({ status: 'failed', error: { message: 'enough' } });
  });
});

interface Point {
  readonly id: string;
  readonly script: string;
  readonly place: string;
  readonly answer?: string;
  readonly interrupt?: true;
  readonly ends: object;
  readonly executed: readonly string[];
}

const DONE = { status: 'completed', output: 'done' };
const WAITS = { status: 'suspended_client_tool' };
const BELOW = { status: 'suspended_awaiting_children' };

const POINTS: readonly Point[] = [
  { id: 'K02', script: 'plain', place: 'before started', ends: DONE, executed: ['look'] },
  { id: 'K03', script: 'plain', place: 'in model', ends: DONE, executed: ['look'] },
  { id: 'K04', script: 'plain', place: 'after plan', ends: DONE, executed: ['look'] },
  { id: 'K05', script: 'plain', place: 'in look', ends: DONE, executed: ['look', 'look'] },
  {
    id: 'K06',
    script: 'parallel',
    place: 'in slow',
    ends: DONE,
    executed: ['look', 'slow', 'slow'],
  },
  { id: 'K07', script: 'plain', place: 'before close', ends: DONE, executed: ['look'] },
  { id: 'K08', script: 'plain', place: 'after close', ends: DONE, executed: ['look'] },
  { id: 'K09', script: 'human', place: 'after plan', ends: WAITS, executed: [] },
  { id: 'K10', script: 'human', place: 'after suspend', ends: WAITS, executed: [] },
  {
    id: 'K15',
    script: 'human',
    place: 'after close',
    answer: 'pick-0',
    ends: DONE,
    executed: [],
  },
  {
    id: 'K16',
    script: 'gated',
    place: 'before result',
    answer: 'pay-0',
    ends: DONE,
    executed: ['pay'],
  },
  { id: 'K17', script: 'child', place: 'after plan', ends: DONE, executed: ['look'] },
  { id: 'K18', script: 'child', place: 'before result', ends: DONE, executed: ['look'] },
  { id: 'K19', script: 'asking', place: 'before suspend', ends: BELOW, executed: [] },
  {
    id: 'K20',
    script: 'wait',
    place: 'before interrupted',
    interrupt: true,
    ends: { status: 'interrupted' },
    executed: ['wait'],
  },
  { id: 'K22', script: 'plain', place: 'after completed', ends: DONE, executed: ['look'] },
];

/** Once the run has ended and waits for it. */
async function answer(office: Office, sessionId: string, toolCallId: string): Promise<void> {
  const handle = await office.executor.getHandle(agent, sessionId);
  expect((await handle?.result())?.status).toMatch(/^suspended_/);
  await office.executor.submitToolResult(
    toolCallId.startsWith('pay')
      ? { kind: 'approval-response', sessionId, toolCallId, approved: true }
      : { kind: 'client-tool-result', sessionId, toolCallId, result: 'red' },
  );
  await office.executor.resume(sessionId);
}

/** Nothing is left open, half done or unsaid. */
async function checkAfterwards({ executor, streams, stateStore }: Office): Promise<void> {
  for (const { id, ends } of POINTS) {
    const ref = { rootId: id, sessionId: id };
    const step = await stateStore.sessions.readStep(ref);
    expect(step?.session.recoveries, `${id}: nobody took it over`).toBe(0);
    if ('output' in ends) expect(step?.journal, id).toEqual([]);
    const chunks = ((await streams.readChunks?.(id)) ?? []).map((one) => one.chunk);
    const runs = await executor.listRuns(id);
    const marks = chunks.filter((chunk) => chunk.type.startsWith('run_'));
    expect(marks.length, `${id}: each run begins and ends once`).toBe(2 * runs.runs.length);
  }
}
