import { describe, expect, it } from 'vitest';
import { HANGS_AFTER_MS, WHOLE } from '../world/whole.ts';
import { CRASH_POINTS, type CrashPoint } from './crash-points.ts';
import type { TestCrashesOptions } from './harness.ts';
import type { PersonOptions } from './person.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios/all.ts';
import { deaths, faults, pauses, twoDeaths } from './trial-plans.ts';
import { describeTrial, runTrial, type Trial } from './trial.ts';

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
  const { seed = 1 } = options;
  const stride = Math.ceil((options.stride ?? 1) / (WHOLE ? 10 : 1));
  // A store that takes few of the places takes few of what is random, too.
  const [pairs, placesPerPoint] = stride === 1 ? [12, 3] : stride < 10 ? [4, 2] : [2, 1];
  const tellAll = trialsOf(options);
  describe(`crashes: ${options.name}`, { timeout: HANGS_AFTER_MS }, () => {
    describe('at the numbered crash points', () => {
      for (const point of CRASH_POINTS) {
        if (point.apart && !options.apart) continue;
        it(`${point.point} ${point.title}`, () => dieAtPoint(options, point, placesPerPoint));
      }
    });
    describe.each(SCENARIOS.map((scenario) => ({ name: scenario.name, scenario })))(
      '$name',
      ({ scenario }) => {
        it('survives death before and after every call', () =>
          tellAll(scenario, (calm) => deaths(calm.boundaries, stride)));
        it('goes on by itself when one call to the store fails or loses its reply', () =>
          tellAll(scenario, (calm) => faults(calm.boundaries, stride)));
        it('ignores a process that was silent for longer than its lease', () =>
          tellAll(scenario, (calm) => pauses(calm.boundaries, stride * 2)));
        it(`survives two deaths (seed ${seed})`, () =>
          tellAll(scenario, (calm) => twoDeaths(calm.boundaries, pairs, seed)));
      },
    );
  });
}

type TellAll = (
  scenario: Scenario,
  plan: (calm: Trial) => readonly PersonOptions[],
) => Promise<void>;

/** Tells a scenario undisturbed, once for all its tests, then once per plan. */
function trialsOf(options: TestCrashesOptions): TellAll {
  const undisturbed = new Map<Scenario, Promise<Trial>>();
  return async (scenario, plan) => {
    const calm = undisturbed.get(scenario) ?? tellUndisturbed(options, scenario);
    undisturbed.set(scenario, calm);
    await checkPlans(options, scenario, await calm, plan);
  };
}

/** Collects everything that went wrong under any of the plans. */
async function checkPlans(
  options: TestCrashesOptions,
  scenario: Scenario,
  calm: Trial,
  plan: (calm: Trial) => readonly PersonOptions[],
): Promise<void> {
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

async function dieAtPoint(
  options: TestCrashesOptions,
  point: CrashPoint,
  most: number,
): Promise<void> {
  const { scenario, kind, side } = point;
  const calm = await tellUndisturbed(options, scenario);
  const places = [...calm.boundaries.keys()].filter((at) =>
    point.at(calm.boundaries[at] as (typeof calm.boundaries)[number]),
  );
  expect(places.length, `places of ${point.point} in ${scenario.name}`).toBeGreaterThan(0);
  for (const at of places.slice(0, most)) {
    const person = { fates: [{ kind, at, side }], patient: kind === 'fault' };
    const trial = await runTrial(options, scenario, person, calm.story);
    expect(trial.struck, `${point.point} was reached`).toHaveLength(1);
    if (trial.faults.length > 0) expect.fail(describeTrial(scenario, person, trial));
  }
}
