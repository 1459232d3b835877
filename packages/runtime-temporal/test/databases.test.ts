// If this fails: agents on Temporal do not do over a database server what they do in memory. `npm test` plays a share of the
// scenarios, spread over all of them and another one on each database; `TEST_WHOLE=1`, as `npm run stress` sets it, plays all.
import { describeServer } from '@helix-agents/test-servers';
import { testRuntime } from '@helix-agents/testing';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { memoryJs } from './memory-js.ts';
import { newStorePlace } from './store-place.ts';
import { openStores } from './stores.ts';
import { openSite, type TemporalSite } from './temporal-site.ts';
import { TemporalWorld } from './temporal-world.ts';

vi.setConfig({ testTimeout: 600_000, maxConcurrency: 6 });

const SHARE = process.env['TEST_WHOLE'] === '1' ? 1 : 8;

describeServer('temporal', () => {
  let site: TemporalSite;
  beforeAll(async () => {
    site = await openSite();
  }, 20 * 60_000);
  afterAll(() => site.close(), 60_000);

  for (const [turn, kind] of (['postgres', 'redis'] as const).entries()) {
    describeServer(kind, () => {
      describe.concurrent('scenarios', () => {
        testRuntime({
          name: `temporal over ${kind}`,
          keepsRunsAlive: 'engine',
          plays: (place) => place % SHARE === (turn * 4) % SHARE,
          open: async ({ title }) => {
            const place = await newStorePlace(kind);
            const { close, ...stores } = openStores(place.address, 'caller');
            const runtime = new TemporalWorld(site, title).over(stores);
            return {
              ...runtime,
              async close() {
                await runtime.close();
                await close();
                await place.drop();
              },
            };
          },
          sameAs: memoryJs,
        });
      });
    });
  }
});
