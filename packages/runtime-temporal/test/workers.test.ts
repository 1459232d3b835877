// If this fails: a worker or a server that dies takes work with it, or work that may happen once happens twice.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeServer, sharedServerUrl, startTemporal } from '@helix-agents/test-servers';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { bundleAgentWorkflow } from '../src/index.ts';
import { killAtEveryPoint } from './crash-points.ts';
import { openWorkerWorld, type WorkerWorldOptions } from './worker-world.ts';
import type { StoreKind } from './stores.ts';
import { MEETING } from './worker/agents.ts';

const PATIENCE = { timeout: 300_000, interval: 20 };
const DONE = { status: 'completed', output: 'done' };
const folder = mkdtempSync(join(tmpdir(), 'helix-workers-'));
const bundle = join(folder, 'workflow.js');

describeServer('temporal', () => {
  let given: Omit<WorkerWorldOptions, 'kind'>;
  beforeAll(async () => {
    const address = await sharedServerUrl('temporal');
    const logger = new DefaultLogger('ERROR', () => {});
    Runtime.install({ logger });
    writeFileSync(bundle, (await bundleAgentWorkflow({ logger })).code);
    given = { address, bundle };
  }, 20 * 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** `npm test` leaves out what differs little between databases; `TEST_WHOLE=1`, as `npm run stress` sets it, nothing. */
  const isWhole = process.env['TEST_WHOLE'] === '1';
  const over = (kinds: readonly StoreKind[], suites: (kind: StoreKind) => void): void => {
    const wanted = (kind: StoreKind): boolean => isWhole || kinds.includes(kind);
    if (wanted('sqlite')) describe('over sqlite', () => suites('sqlite'));
    if (wanted('postgres')) describeServer('postgres', () => suites('postgres'));
    if (wanted('redis')) describeServer('redis', () => suites('redis'));
  };

  over(['sqlite', 'postgres', 'redis'], (kind) => {
    it('K02–K22 one SIGKILL hits sixteen sessions, each at another point, and another worker goes on', async () => {
      await killAtEveryPoint(
        await openWorkerWorld({ ...given, kind, settings: { heartbeatTimeoutMs: 8_000 } }),
      );
    });
  });

  over(['postgres'], (kind) => {
    it('two workers share one run, and each tool runs once', async () => {
      const world = await openWorkerWorld({ ...given, kind });
      await Promise.all([
        world.worker({ slots: MEETING / 2 }),
        world.worker({ slots: MEETING / 2 }),
      ]);
      const handle = await world.start('s', 'meeting');
      expect(await handle.result()).toEqual(DONE);
      const lines = world.ledger();
      expect(lines).toHaveLength(MEETING);
      expect(new Set(lines.map((line) => line.callId)).size).toBe(MEETING);
      expect(new Set(lines.map((line) => line.pid)).size, 'on whatever workers there are').toBe(2);
    });

    it('INTR-01 an interrupt and an abort reach model calls that stream in another process', async () => {
      const world = await openWorkerWorld({ ...given, kind });
      const { executor, streams } = world;
      const worker = await world.worker({ hold: { deaf: 'in model' } });
      const ids = ['soft', 'hard', 'deaf'];
      const [soft, hard, deaf] = await Promise.all(ids.map((id) => world.start(id, 'talk')));
      await worker.held(['deaf']);
      for (const id of ids) {
        const isStreaming = async (): Promise<boolean> =>
          ((await streams.readChunks?.(id)) ?? []).some(({ chunk }) => chunk.type === 'text_delta');
        await vi.waitUntil(isStreaming, PATIENCE);
      }
      // By themselves they would talk for ten minutes, or for ever.
      expect(await executor.interruptAgent('soft')).toMatchObject({ status: 'requested' });
      expect(await soft?.result()).toEqual({ status: 'interrupted' });
      expect(await executor.abortAgent('hard', 'enough')).toEqual({ status: 'aborted' });
      expect(await hard?.result()).toMatchObject({
        status: 'failed',
        error: { message: 'enough' },
      });
      await executor.interrupt('deaf');
      expect(await deaf?.result()).toEqual({ status: 'interrupted' });
      await worker.cut(['soft', 'hard']);
    });
  });

  it('RECV-09 a worker that is told to end gives its work to another, and no attempt is used up', async () => {
    const world = await openWorkerWorld({ ...given, kind: 'sqlite' });
    const first = await world.worker({ hold: { s: 'in slow', t: 'in model' } });
    const handles = [await world.start('s', 'slow'), await world.start('t', 'plain')];
    await first.held(['s', 't']);
    await world.worker();
    await first.end('SIGTERM');
    for (const handle of handles) expect(await handle.result()).toEqual(DONE);
    for (const id of ['s', 't']) {
      const { events } = await world.client.workflow
        .getHandle(`${world.prefix}__work__${id}`)
        .fetchHistory();
      const attempts = events?.flatMap(
        ({ activityTaskStartedEventAttributes: started }) => started?.attempt ?? [],
      );
      expect(new Set(attempts), id).toEqual(new Set([1]));
    }
  });

  it('a server that is killed and comes back goes on where it was', async () => {
    const server = await startTemporal({ persistent: true });
    onTestFinished(() => server.stop());
    const world = await openWorkerWorld({
      ...given,
      address: server.url,
      kind: 'sqlite',
      settings: {},
    });
    await world.worker();
    const handle = await world.start('s', 'long');
    await vi.waitUntil(() => world.ledger().length >= 2, PATIENCE);
    await server.kill();
    await server.restart();
    expect(await handle.result()).toEqual(DONE);
    expect(new Set(world.ledger().map((line) => line.callId)).size).toBe(6);
  });
});
