import type { BenchCase, Result } from '../lib/measure.ts';
import { memoryStores, sqliteStores } from '../lib/stores.ts';
import { streamDeltas } from '../lib/stream-deltas.ts';

/** What a text delta costs where it is kept. */
export const stream: BenchCase = {
  name: 'stream',
  async run(options) {
    const places = {
      memory: { open: memoryStores, atMost: 2 },
      'sqlite full': { open: () => sqliteStores('full'), atMost: 5 },
    };
    const results: Result[] = [];
    for (const [place, { open, atMost }] of Object.entries(places)) {
      options.progress(`stream: ${place}`);
      const stores = open();
      const shared = { case: 'stream', name: `${place}, `, counts: 'cpu' } as const;
      results.push(...(await streamDeltas({ ...shared, stores, target: { atMost } }, options)));
      stores.close();
    }
    return results;
  },
};
