// If this fails: the history of runs has holes or is out of order, and going back to a checkpoint
// lands in the wrong place.
import { describe, expect, it } from 'vitest';
import type { OpenStore, Store } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { checkpointRow, runRow, sessionRow, T0 } from './rows.ts';

const row = sessionRow();

export function runsAndCheckpoints(open: OpenStore): void {
  describe('runs', () => {
    it('come back by turn, each with its end', async () => {
      const { store } = await open();
      const runs = [3, 1, 10, 2].map((turn) => runRow(`run-${turn}`, { turn }));
      await seed(store, { sessions: [row], runs });
      const set = { status: 'failed', stepCount: 4, completedAt: T0 } as const;
      await store.commit(planFor(row, { update: { runs: [{ runId: 'run-2', set }] } }));
      expect(await store.readRuns(row)).toEqual([
        runRow('run-1', { turn: 1 }),
        runRow('run-2', { turn: 2, ...set }),
        runRow('run-3', { turn: 3 }),
        runRow('run-10', { turn: 10 }),
      ]);
      expect(await store.readRuns(sessionRow({ sessionId: 'nobody' }))).toEqual([]);
    });

    it('come back as the last few, in the same order', async () => {
      const { store } = await open();
      const runs = [2, 10, 1, 3].map((turn) => runRow(`run-${turn}`, { turn }));
      await seed(store, { sessions: [row], runs });
      const last = async (count: number): Promise<number[]> =>
        (await store.readRuns(row, { last: count })).map((run) => run.turn);
      expect(await last(1)).toEqual([10]);
      expect(await last(3)).toEqual([2, 3, 10]);
      expect(await last(9)).toEqual([1, 2, 3, 10]);
      expect(await last(0)).toEqual([]);
      expect(await store.readRuns(sessionRow({ sessionId: 'nobody' }), { last: 1 })).toEqual([]);
    });
  });

  describe('checkpoints', () => {
    it('come back newest first, in any range', async () => {
      const { store } = await open();
      const checkpoints = [1, 2, 9, 10, 11].map((version) => checkpointRow(version));
      await seed(store, { sessions: [row], checkpoints });
      const versions = async (...range: RangeOf<Store['readCheckpoints']>): Promise<number[]> =>
        (await store.readCheckpoints(row, ...range)).map((checkpoint) => checkpoint.version);
      expect(await store.readCheckpoints(row)).toEqual(checkpoints.toReversed());
      expect(await versions({ limit: 2 })).toEqual([11, 10]);
      expect(await versions({ before: 10 })).toEqual([9, 2, 1]);
      expect(await versions({ before: 10, limit: 1 })).toEqual([9]);
      expect(await versions({ before: 1 })).toEqual([]);
      expect(await versions({ before: 5 })).toEqual([2, 1]);
      expect(await store.readCheckpoints(sessionRow({ sessionId: 'nobody' }))).toEqual([]);
    });

    it('are put in the place of those that the same plan removes', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row], checkpoints: [1, 2, 3].map((n) => checkpointRow(n)) });
      const replace = (version: number): Promise<boolean> =>
        store.commit(
          planFor(row, {
            guard: {},
            remove: { checkpointsAfter: [{ sessionId: 's1', version: 1 }] },
            insert: { checkpoints: [checkpointRow(version, { timestamp: 7 })] },
          }),
        );
      expect(await replace(1), 'one that stays is in the way').toBe(false);
      expect(await replace(2)).toBe(true);
      const replaced = [checkpointRow(2, { timestamp: 7 }), checkpointRow(1)];
      expect(await store.readCheckpoints(row)).toEqual(replaced);
    });
  });
}

type RangeOf<F> = F extends (ref: never, ...range: infer R) => unknown ? R : never;
