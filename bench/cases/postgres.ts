import type { BenchCase, Result } from '../lib/measure.ts';
import { postgresPlace } from '../lib/postgres.ts';
import { liveTail, manyReaders, manyWriters, serverGrowth } from '../lib/server-load.ts';
import { serverSteps } from '../lib/server-steps.ts';

/** Postgres on this machine, with statements that are planned anew each time and once per connection. */
export const postgres: BenchCase = {
  name: 'postgres',
  async run(options) {
    const results: Result[] = [];
    for (const statements of ['unnamed', 'prepared'] as const) {
      const place = await postgresPlace(statements);
      try {
        results.push(...(await serverSteps(place, options)));
        if (statements === 'unnamed') continue;
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
