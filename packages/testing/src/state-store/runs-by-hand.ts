// If this fails: the history of a loop driven by hand has holes, or two of them share a session.
import { describe, expect, it } from 'vitest';
import { inParallel } from '../store/everything.ts';
import type { OpenStateStore } from './harness.ts';

export function runsByHand(open: OpenStateStore): void {
  describe('runs by hand', () => {
    it('follow each other, each closed when the status moves or the next begins', async () => {
      const { store } = await open();
      await store.createSession('s1');
      const first = await store.createRun('s1', { runId: 'r1' });
      expect(first).toMatchObject({ turn: 1, previousRunId: null, status: 'running' });
      await store.updateStatus('s1', 'completed');
      await store.createRun('s1', { runId: 'r2', trigger: 'resume' });
      await store.createRun('s1', { runId: 'r3' });
      const { runs } = await store.listRuns('s1');
      expect(runs).toMatchObject([
        { runId: 'r1', turn: 1, status: 'completed', completedAt: expect.any(Number) },
        { runId: 'r2', turn: 2, status: 'interrupted', previousRunId: 'r1', trigger: 'resume' },
        { runId: 'r3', turn: 3, status: 'running', previousRunId: 'r2', completedAt: null },
      ]);
      expect(await store.getCurrentRun('s1')).toEqual(runs[2]);
      expect(await store.listRuns('s1', { last: 2 })).toEqual({ runs: runs.slice(1) });
      expect(await store.loadState('s1')).toMatchObject({
        runId: 'r3',
        status: 'active',
        resumeCount: 1,
      });
    });

    it('begun by many at once have turns without holes', async () => {
      const { store, connections } = await open();
      await store.createSession('s1');
      await inParallel(8, (racer) =>
        (connections[racer % connections.length] ?? store).createRun('s1'),
      );
      const { runs } = await store.listRuns('s1');
      expect(runs.map(({ turn }) => turn)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(runs.filter(({ status }) => status === 'running')).toHaveLength(1);
    });

    it('count steps and resumes one by one', async () => {
      const { store, connections } = await open();
      await store.createSession('s1');
      const counts = await inParallel(10, (racer) =>
        (connections[racer % connections.length] ?? store).incrementStepCount('s1'),
      );
      expect(counts.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(await store.incrementResumeCount('s1')).toBe(1);
      expect(await store.loadState('s1')).toMatchObject({ stepCount: 10, resumeCount: 1 });
    });
  });
}
