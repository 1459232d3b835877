import { describeServer } from '@helix-agents/test-servers';
import { testRuntime } from '@helix-agents/testing';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { isRecording, writeGoldens } from './golden-files.ts';
import { memoryJs, memoryStores } from './memory-js.ts';
import { openSite, type TemporalSite } from './temporal-site.ts';
import { TemporalWorld } from './temporal-world.ts';

// Scenarios wait more than they work: many at once, on one server and one worker.
vi.setConfig({ testTimeout: 600_000, maxConcurrency: 6 });

describeServer('temporal', () => {
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
      create: async (title) => new TemporalWorld(site, title).runtime(memoryStores()),
      sameAs: memoryJs,
    });
  });
});
