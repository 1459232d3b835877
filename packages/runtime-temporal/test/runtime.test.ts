import { describeServer } from '@helix-agents/test-servers';
import { testRuntime } from '@helix-agents/testing';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { isRecording, readGoldens, writeGoldens } from './golden-files.ts';
import { memoryJs, memoryStores } from './memory-js.ts';
import { openSite, type TemporalSite } from './temporal-site.ts';
import { TemporalWorld } from './temporal-world.ts';

// Scenarios wait more than they work: many at once, on one server and one worker.
vi.setConfig({ testTimeout: 600_000, maxConcurrency: 6 });

describeServer('temporal', () => {
  const recorded = new Set(readGoldens().map(({ scenario }) => scenario));
  let site: TemporalSite;
  beforeAll(async () => {
    site = await openSite();
  }, 20 * 60_000);
  afterAll(async () => {
    await site.close();
    if (isRecording) writeGoldens();
  }, 60_000);

  describe.concurrent('scenarios', () => {
    testRuntime({
      name: 'temporal over memory',
      keepsRunsAlive: 'engine',
      open: ({ title }) => {
        const world = new TemporalWorld(site, title);
        const runtime = world.over(memoryStores());
        return {
          ...runtime,
          async close() {
            await runtime.close();
            if (isRecording || world.workflowIds.size === 0) return;
            expect(recorded, 'a new scenario: record its histories with UPDATE_GOLDEN=1').toContain(
              title,
            );
          },
        };
      },
      sameAs: memoryJs,
    });
  });
});
