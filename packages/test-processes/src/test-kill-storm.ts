// A short one with every change; `npm run stress` runs it for as long as asked.
import { describe, expect, it, onTestFinished } from 'vitest';
import { killStorm } from './kill-storm.ts';
import type { SharedStoreOptions } from './shared-store.ts';

/** Registers a test: a process is killed again and again while it drives many sessions. */
export function testKillStorm(options: SharedStoreOptions): void {
  describe(`processes: ${options.name}`, () => {
    it('survive a storm of kills', async () => {
      const { address, close } = await options.create();
      onTestFinished(close);
      const load = { seconds: 4, leastKills: 3, sessions: 6, seed: 1 };
      const report = await killStorm({ address, ...load });
      expect(report.faults).toEqual([]);
      expect(report.kills).toBeGreaterThanOrEqual(3);
      expect(report.turns).toBeGreaterThanOrEqual(6);
    });
  });
}
