import type { RuntimeUnderTest } from '@helix-agents/testing';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import {
  createMemorySessionStore,
  InMemoryStreamManager,
  InMemoryUsageStore,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { describeServer } from '@helix-agents/test-servers';
import { testRuntime } from '@helix-agents/testing';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { isRecording, writeGoldens } from './golden-files.ts';
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
      sameAs: async () => ({
        ...memoryStores(),
        newExecutor: ({ databases, wrapOperations, ...parts }) =>
          new JSAgentExecutor({ ...parts, seams: { databases, wrapOperations } }),
        close: async () => {},
      }),
    });
  });
});

function memoryStores(): Omit<RuntimeUnderTest, 'newExecutor' | 'close'> {
  const database = new MemoryDatabase();
  const sessions = createMemorySessionStore(database);
  return {
    databases: { of: () => sessions },
    index: sessions,
    usage: new InMemoryUsageStore({ database }),
    streams: new InMemoryStreamManager({ database }),
  };
}
