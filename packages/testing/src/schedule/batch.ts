import fc from 'fast-check';
import { checkHistory } from '../history/check-history.ts';
import type { Violation } from '../history/types.ts';
import { scheduleArbitrary, type Schedule } from './commands.ts';
import { addCoverage, emptyCoverage, type Coverage } from './coverage.ts';
import { runSchedule } from './run-schedule.ts';
import type { OpenTestWorld } from '../world/test-world.ts';

export interface BatchOptions {
  /** Of the world, for the report of a failure. */
  readonly name: string;
  readonly open: OpenTestWorld;
  /** Decides every schedule of the batch. */
  readonly seed: number;
  readonly runs: number;
  /** Plays only the schedule at this path, as a failure names it. */
  readonly path?: string;
  readonly faults?: boolean;
  /** Tries of finding a smaller schedule that fails in the same way; 300 unless given. */
  readonly shrinks?: number;
}

export interface BatchResult {
  readonly runs: number;
  readonly coverage: Coverage;
  readonly failure: BatchFailure | null;
}

/** The smallest schedule found that breaks a rule. Seed and path play it again. */
export interface BatchFailure {
  readonly world: string;
  readonly seed: number;
  readonly path: string;
  readonly schedule: Schedule;
  readonly violations: readonly Violation[];
}

/** Plays many schedules in one world and checks the history of each; stops at the first that breaks a rule. */
export async function runBatch(options: BatchOptions): Promise<BatchResult> {
  const { name, open, seed, path, runs } = options;
  const coverage = emptyCoverage();
  let played = 0;
  let shrinking = 0;
  const property = fc.asyncProperty(
    scheduleArbitrary({ faults: options.faults ?? true }),
    async (schedule) => {
      if (shrinking > 0 && (shrinking += 1) > (options.shrinks ?? 300)) return;
      const history = await runSchedule(open, schedule);
      const violations = checkHistory(history);
      if (violations.length > 0) {
        shrinking = Math.max(1, shrinking);
        throw new Error(violations.map(({ rule, detail }) => `${rule} ${detail}`).join('\n'));
      }
      if (shrinking > 0) return;
      played += 1;
      addCoverage(coverage, history);
    },
  );
  const found = await fc.check(property, {
    seed,
    numRuns: runs,
    ...(path === undefined ? {} : { path }),
  });
  const schedule = found.counterexample?.[0];
  if (!found.failed || !schedule) return { runs: played, coverage, failure: null };
  const violations = checkHistory(await runSchedule(open, schedule));
  const at = found.counterexamplePath ?? '';
  return {
    runs: played,
    coverage,
    failure: { world: name, seed, path: at, schedule, violations },
  };
}

/** The schedules that a seed generates. */
export function sampleSchedules(options: {
  readonly seed: number;
  readonly count: number;
  readonly faults: boolean;
}): Schedule[] {
  const { seed, count, faults } = options;
  return fc.sample(scheduleArbitrary({ faults }), { seed, numRuns: count });
}

/** What to print about a failure: the rules, the schedule, and how to play it again. */
export function describeFailure({ world, seed, path, schedule, violations }: BatchFailure): string {
  const { commands, ...rest } = schedule;
  return [
    `${world}: seed ${seed}, path ${path}`,
    `again: npm run stress -- --world ${world} --seed ${seed} --path ${path}`,
    ...violations.map(({ rule, detail }) => `  ${rule}: ${detail}`),
    `  ${JSON.stringify(rest)}`,
    ...commands.map((command) => `    ${JSON.stringify(command)}`),
  ].join('\n');
}
