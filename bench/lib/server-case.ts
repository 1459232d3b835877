import type { BenchCase, BenchOptions, Result } from './measure.ts';
import { serverGrowth } from './server-growth.ts';
import { liveTail, manyReaders, manyWriters } from './server-load.ts';
import type { ServerPlace } from './server-place.ts';
import { serverResume } from './server-resume.ts';
import { serverSteps } from './server-steps.ts';
import { streamDeltas } from './stream-deltas.ts';
import { warmUp } from './warm-up.ts';

/** Steps at every place; everything else at the first one. */
export function serverCase(
  name: string,
  places: readonly (() => Promise<ServerPlace>)[],
): BenchCase {
  return {
    name,
    async run(options) {
      const results: Result[] = [];
      await warmUp(options);
      for (const [index, start] of places.entries()) {
        const place = await start();
        try {
          results.push(...(await serverSteps(place, options)));
          if (index === 0) results.push(...(await everythingElse(place, options)));
        } finally {
          await place.close();
        }
      }
      return results;
    },
  };
}

async function everythingElse(place: ServerPlace, options: BenchOptions): Promise<Result[]> {
  return [
    await serverResume(place, options),
    ...(await deltas(place, options)),
    await liveTail(place, options),
    await manyReaders(place, options),
    await manyWriters(place, options),
    ...(await serverGrowth(place, options)),
  ];
}

async function deltas(place: ServerPlace, options: BenchOptions): Promise<Result[]> {
  options.progress(`${place.name}: text deltas`);
  const stores = place.open();
  const of = {
    case: place.name,
    name: '2,000 text deltas, ',
    target: place.targets.delta,
  } as const;
  const results = await streamDeltas({ ...of, counts: 'clock', stores }, options);
  stores.close();
  return results;
}
