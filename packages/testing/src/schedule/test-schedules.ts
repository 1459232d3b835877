import { describe, expect, it } from 'vitest';
import { hashHistory, observableHistory } from '../history/normal-form.ts';
import { describeFailure, runBatch, sampleSchedules } from './batch.ts';
import { runSchedule } from './run-schedule.ts';
import type { OpenTestWorld } from '../world/test-world.ts';
import { HANGS_AFTER_MS } from '../world/whole.ts';

/** Worlds over one connection to a server, and how to close it. */
export interface ServedWorlds {
  readonly open: OpenTestWorld;
  readonly close: () => Promise<void>;
}

export interface TestSchedulesOptions {
  readonly name: string;
  /** Called once for all schedules of a test. */
  readonly create: () => Promise<ServedWorlds>;
  readonly seed: number;
  /** Another world: both give the same history, whatever goes wrong. */
  readonly sameAs?: OpenTestWorld;
  /** How many schedules. */
  readonly runs: number;
}

const timeout = HANGS_AFTER_MS;

/** Random schedules with crashes, pauses, lost replies and clock jumps in one world, each checked as a whole. */
export function testSchedules(options: TestSchedulesOptions): void {
  const { name, create, seed, runs, sameAs } = options;
  const inWorld = async (test: (open: OpenTestWorld) => Promise<void>): Promise<void> => {
    const { open, close } = await create();
    try {
      await test(open);
    } finally {
      await close();
    }
  };
  describe(`random schedules on ${name}`, () => {
    it('keep every rule', { timeout }, () =>
      inWorld(async (open) => {
        const { failure } = await runBatch({ name, open, seed, runs });
        expect(failure && describeFailure(failure)).toBeNull();
      }),
    );

    it('give the same history when they are played again', { timeout }, () =>
      inWorld(async (open) => {
        for (const schedule of sampleSchedules({ seed, count: 2, faults: true })) {
          const first = hashHistory(await runSchedule(open, schedule));
          expect(hashHistory(await runSchedule(open, schedule))).toBe(first);
        }
      }),
    );

    it.runIf(sameAs)('give the same history as in another world', { timeout }, () =>
      inWorld(async (open) => {
        for (const schedule of sampleSchedules({ seed: seed + 1, count: 4, faults: true })) {
          const here = observableHistory(await runSchedule(open, schedule));
          const there = await runSchedule(sameAs as OpenTestWorld, schedule);
          expect(here).toEqual(observableHistory(there));
        }
      }),
    );
  });
}
