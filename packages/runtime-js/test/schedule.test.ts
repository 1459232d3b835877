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

// Random schedules with crashes, pauses, lost replies and clock jumps, each checked as a whole. HELIX_SEED tries
// others; with HELIX_PATH, as a failure prints it, exactly one is played.

const RUNS: Readonly<Record<WorldName, number>> = {
  memory: 250,
  elsewhere: 100,
  sqlite: 100,
  replay: 100,
  split: 80,
  outages: 80,
};
const SEED = Number(process.env['HELIX_SEED'] ?? 20_260);
const PATH = process.env['HELIX_PATH'];
const coverage = emptyCoverage();

describe.each(WORLD_NAMES)('random schedules: %s', (name) => {
  it('keep every rule', { timeout: 120_000 }, async () => {
    const path = PATH === undefined ? {} : { path: PATH };
    const [open, runs] = [WORLDS[name], RUNS[name]];
    const batch = await runBatch({ name, open, seed: SEED, runs, ...path });
    mergeCoverage(coverage, batch.coverage);
    expect(batch.failure && describeFailure(batch.failure)).toBeNull();
  });
});

// L2. A batch that saw nothing proves nothing.
it.skipIf(PATH !== undefined)('random schedules saw every way things can go', () => {
  expect(coverageGaps(coverage)).toEqual([]);
});

function samples(faults: boolean, count: number): Schedule[] {
  return sampleSchedules({ seed: SEED, count, faults });
}

describe('the same schedule', () => {
  it.each(WORLD_NAMES)('gives the same history again: %s', async (name) => {
    for (const schedule of samples(true, 8)) {
      const [first, second] = [
        await runSchedule(WORLDS[name], schedule),
        await runSchedule(WORLDS[name], schedule),
      ];
      expect(hashHistory(second)).toBe(hashHistory(first));
    }
  });

  it('gives the same history in memory and in SQLite, faults included', async () => {
    for (const schedule of samples(true, 15)) {
      const [memory, sqlite] = [
        await runSchedule(WORLDS.memory, schedule),
        await runSchedule(WORLDS.sqlite, schedule),
      ];
      expect(observableHistory(sqlite)).toEqual(observableHistory(memory));
    }
  });

  it.each(['replay', 'split'] as const)(
    'without faults looks the same on every host: %s',
    { timeout: 60_000 },
    async (name) => {
      for (const schedule of samples(false, 25)) {
        const plain = await runSchedule(WORLDS.memory, schedule, { calm: true });
        const other = await runSchedule(WORLDS[name], schedule, { calm: true });
        expect(checkHistory(other)).toEqual([]);
        expect(observableHistory(other)).toEqual(observableHistory(plain));
      }
    },
  );
});
