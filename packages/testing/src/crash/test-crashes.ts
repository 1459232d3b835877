import { describe, expect, it } from 'vitest';
import { CRASH_POINTS, type CrashPoint } from './crash-points.ts';
import type { TestCrashesOptions } from './harness.ts';
import type { PersonOptions } from './person.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios/all.ts';
import { deaths, faults, pauses, twoDeaths } from './trial-plans.ts';
import { describeTrial, runTrial, type Trial } from './trial.ts';

const TIMEOUT = 120_000;
const MOST_PER_POINT = 3;
const PAIRS = 12;

/**
 * The crash suite: a process dies, is paused or loses a reply at every place where it talks to the world, another one
 * goes on, and the story comes out the same.
 *
 * @example
 * testCrashes({
 *   name: 'SQLite',
 *   open: ({ now }) => ({
 *     ...openSqlite(':memory:', { now }),
 *     start: (parts) => new JSAgentExecutor(parts),
 *   }),
 * });
 */
export function testCrashes(options: TestCrashesOptions): void {
  const { stride = 1 } = options;
  const seed = options.seed ?? 1;
  describe(`crashes: ${options.name}`, { timeout: TIMEOUT }, () => {
    describe('at the numbered crash points', () => {
      for (const point of CRASH_POINTS) {
        if (point.apart && !options.apart) continue;
        it(`${point.point} ${point.title}`, () => dieAtPoint(options, point));
      }
    });
    describe.each(SCENARIOS.map((scenario) => ({ name: scenario.name, scenario })))(
      '$name',
      ({ scenario }) => {
        it('survives death before and after every call', () =>
          tellAll(options, scenario, (calm) => deaths(calm.boundaries, stride)));
        it('goes on by itself when one call to the store fails or loses its reply', () =>
          tellAll(options, scenario, (calm) => faults(calm.boundaries, stride)));
        it('ignores a process that was silent for longer than its lease', () =>
          tellAll(options, scenario, (calm) => pauses(calm.boundaries, stride * 2)));
        it(`survives two deaths (seed ${seed})`, () =>
          tellAll(options, scenario, (calm) => twoDeaths(calm.boundaries, PAIRS, seed)));
      },
    );
  });
}

/** Tells the scenario undisturbed, then once per plan, and collects everything that went wrong. */
async function tellAll(
  options: TestCrashesOptions,
  scenario: Scenario,
  plan: (calm: Trial) => readonly PersonOptions[],
): Promise<void> {
  const calm = await tellUndisturbed(options, scenario);
  const failures: string[] = [];
  let struck = 0;
  const plans = plan(calm);
  for (const person of plans) {
    const trial = await runTrial(options, scenario, person, calm.story);
    if (trial.struck.length > 0) struck += 1;
    if (trial.faults.length > 0) failures.push(describeTrial(scenario, person, trial));
  }
  expect(failures.slice(0, 5), `${failures.length} of ${plans.length} failed`).toEqual([]);
  // Polls may come a moment earlier or later in a disturbed run.
  const fewest = Math.max(plans.length * 0.9 - 2, Math.min(plans.length, 2) * 0.9 - 1);
  expect(struck, 'trials in which something happened').toBeGreaterThan(fewest);
}

async function tellUndisturbed(options: TestCrashesOptions, scenario: Scenario): Promise<Trial> {
  const calm = await runTrial(options, scenario, { fates: [] }, null);
  expect(calm.faults, `${scenario.name}, undisturbed`).toEqual([]);
  return calm;
}

async function dieAtPoint(options: TestCrashesOptions, point: CrashPoint): Promise<void> {
  const { scenario, kind, side } = point;
  const calm = await tellUndisturbed(options, scenario);
  const places = [...calm.boundaries.keys()].filter((at) =>
    point.at(calm.boundaries[at] as (typeof calm.boundaries)[number]),
  );
  expect(places.length, `places of ${point.point} in ${scenario.name}`).toBeGreaterThan(0);
  for (const at of places.slice(0, MOST_PER_POINT)) {
    const person = { fates: [{ kind, at, side }], patient: kind === 'fault' };
    const trial = await runTrial(options, scenario, person, calm.story);
    expect(trial.struck, `${point.point} was reached`).toHaveLength(1);
    if (trial.faults.length > 0) expect.fail(describeTrial(scenario, person, trial));
  }
}
