import {
  createMemorySessionStore,
  InMemoryStreamManager,
  InMemoryUsageStore,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { describeServer } from '@helix-agents/test-servers';
import { testRuntime } from '@helix-agents/testing';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { openSite, type TemporalSite } from './temporal-site.ts';
import { TemporalWorld } from './temporal-world.ts';

vi.setConfig({ testTimeout: 180_000, maxConcurrency: 8 });

describeServer('temporal', () => {
  let site: TemporalSite;
  beforeAll(async () => {
    site = await openSite();
  }, 20 * 60_000);
  afterAll(() => site.close(), 30_000);

  describe.concurrent('', () => {
    testRuntime({
      name: 'temporal over memory',
      keepsRunsAlive: 'engine',
      create: async () => {
        const database = new MemoryDatabase();
        const sessions = createMemorySessionStore(database);
        return new TemporalWorld(site).runtime({
          databases: { of: () => sessions },
          index: sessions,
          usage: new InMemoryUsageStore({ database }),
          streams: new InMemoryStreamManager({ database }),
        });
      },
    });
  });
});
