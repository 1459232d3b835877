// A short one with every change; `npm run stress` runs it for as long as asked.
import { expect, it } from 'vitest';
import { killStorm } from './kill-storm.ts';

it('survives a storm of kills', { timeout: 60_000 }, async () => {
  const report = await killStorm({ seconds: 4, sessions: 6, seed: 1 });
  expect(report.faults).toEqual([]);
  expect(report.kills).toBeGreaterThan(2);
  expect(report.turns).toBeGreaterThanOrEqual(6);
});
