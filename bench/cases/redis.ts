import type { BenchCase, Result } from '../lib/measure.ts';
import { redisPlace } from '../lib/redis.ts';
import { liveTail, manyReaders, manyWriters, serverGrowth } from '../lib/server-load.ts';
import { serverSteps } from '../lib/server-steps.ts';

/** Redis on this machine, with its append-only file written each second and with every write. */
export const redis: BenchCase = {
  name: 'redis',
  async run(options) {
    const results: Result[] = [];
    for (const appendfsync of ['everysec', 'always'] as const) {
      const place = await redisPlace(appendfsync);
      try {
        results.push(...(await serverSteps(place, options)));
        if (appendfsync === 'always') continue;
        results.push(await liveTail(place, options));
        results.push(await manyReaders(place, options));
        results.push(await manyWriters(place, options));
        results.push(await serverGrowth(place, options));
      } finally {
        await place.close();
      }
    }
    return results;
  },
};
