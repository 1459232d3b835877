import { describe, expect, it } from 'vitest';
import { hashHistory, observableHistory } from '../history/normal-form.ts';
import { describeFailure, runBatch, sampleSchedules } from './batch.ts';
import { runSchedule } from './run-schedule.ts';
import type { ScheduleWorld } from './world.ts';

/** A world over a server, and how to leave it. */
export interface ServedWorld {
  readonly world: ScheduleWorld;
  readonly close: () => Promise<void>;
}

export interface TestSchedulesOptions {
  readonly name: string;
  /** Called once for all schedules of a test. */
  readonly create: () => Promise<ServedWorld>;
  readonly seed: number;
  /** Another world: both give the same history, whatever goes wrong. */
  readonly sameAs?: ScheduleWorld;
  /** How many schedules. */
  readonly runs: number;
}

/** Nothing depends on it: a world on a slow machine is still a world. */
const timeout = 600_000;

/** Random schedules with crashes, pauses, lost replies and clock jumps in one world, each checked as a whole. */
export function testSchedules(options: TestSchedulesOptions): void {
  const { name, create, seed, runs, sameAs } = options;
  const inWorld = async (test: (world: ScheduleWorld) => Promise<void>): Promise<void> => {
    const { world, close } = await create();
    try {
      await test(world);
    } finally {
      await close();
    }
  };
  describe(`random schedules: ${name}`, () => {
    it('keep every rule', { timeout }, () =>
      inWorld(async (world) => {
        const { failure } = await runBatch({ world, seed, runs });
        expect(failure && describeFailure(failure)).toBeNull();
      }),
    );

    it('give the same history again', { timeout }, () =>
      inWorld(async (world) => {
        for (const schedule of sampleSchedules({ seed, count: 2, faults: true })) {
          const first = hashHistory(await runSchedule(world, schedule));
          expect(hashHistory(await runSchedule(world, schedule))).toBe(first);
        }
      }),
    );

    it.runIf(sameAs)(`give the same history as in ${sameAs?.name}`, { timeout }, () =>
      inWorld(async (world) => {
        for (const schedule of sampleSchedules({ seed: seed + 1, count: 4, faults: true })) {
          const here = observableHistory(await runSchedule(world, schedule));
          expect(here).toEqual(
            observableHistory(await runSchedule(sameAs as ScheduleWorld, schedule)),
          );
        }
      }),
    );
  });
}
