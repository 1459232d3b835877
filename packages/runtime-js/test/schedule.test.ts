import { describe, expect, it } from 'vitest';
import {
  checkHistory,
  coverageGaps,
  describeFailure,
  emptyCoverage,
  hashHistory,
  mergeCoverage,
  observableHistory,
  runBatch,
  runSchedule,
  sampleSchedules,
  type Schedule,
} from '@helix-agents/testing';
import { WORLD_NAMES, WORLDS, type WorldName } from './worlds.ts';

// Random schedules with crashes, pauses, lost replies and clock jumps, each checked as a whole: a share of those that
// `npm run stress` plays. HELIX_SEED tries others; with HELIX_PATH, as a failure prints it, exactly one is played.

const RUNS: Readonly<Record<WorldName, number>> = {
  memory: 120,
  elsewhere: 40,
  sqlite: 40,
  replay: 40,
  split: 40,
  outages: 40,
};
const SEED = Number(process.env['HELIX_SEED'] ?? 20_260);
const PATH = process.env['HELIX_PATH'];
const coverage = emptyCoverage();

async function playBatch(name: WorldName, seed: number, runs: number): Promise<void> {
  const path = PATH === undefined ? {} : { path: PATH };
  const batch = await runBatch({ name, open: WORLDS[name], seed, runs, ...path });
  mergeCoverage(coverage, batch.coverage);
  expect(batch.failure && describeFailure(batch.failure)).toBeNull();
}

describe.each(WORLD_NAMES)('random schedules: %s', (name) => {
  it('keep every rule', () => playBatch(name, SEED, RUNS[name]));
});

// L2. A batch that saw nothing proves nothing. What is rare may take some schedules more.
it.skipIf(PATH !== undefined)('random schedules saw every way things can go', async () => {
  for (let more = 1; more <= 10 && coverageGaps(coverage).length > 0; more += 1)
    await playBatch('memory', SEED + more, 50);
  expect(coverageGaps(coverage)).toEqual([]);
});

function samples(faults: boolean, count: number): Schedule[] {
  return sampleSchedules({ seed: SEED, count, faults });
}

describe('one schedule', () => {
  it.each(WORLD_NAMES)('gives the same history again: %s', async (name) => {
    for (const schedule of samples(true, 4)) {
      const [first, second] = [
        await runSchedule(WORLDS[name], schedule),
        await runSchedule(WORLDS[name], schedule),
      ];
      expect(hashHistory(second)).toBe(hashHistory(first));
    }
  });

  it('gives the same history in memory and in SQLite, faults included', async () => {
    for (const schedule of samples(true, 8)) {
      const [memory, sqlite] = [
        await runSchedule(WORLDS.memory, schedule),
        await runSchedule(WORLDS.sqlite, schedule),
      ];
      expect(observableHistory(sqlite)).toEqual(observableHistory(memory));
    }
  });

  it.each(['replay', 'split'] as const)(
    'without faults looks the same on every host: %s',
    async (name) => {
      for (const schedule of samples(false, 12)) {
        const plain = await runSchedule(WORLDS.memory, schedule, { calm: true });
        const other = await runSchedule(WORLDS[name], schedule, { calm: true });
        expect(checkHistory(other)).toEqual([]);
        expect(observableHistory(other)).toEqual(observableHistory(plain));
      }
    },
  );
});
