import { race } from '../race.ts';
import type { EngineContext } from '../context.ts';

/**
 * Does the work inside of a wrapper. What comes of it is what the work itself came to, as soon as it is there: a wrapper that throws,
 * hangs or never calls `work` holds up and changes nothing.
 */
export async function workAround<T>(
  { clock, limits }: Pick<EngineContext, 'clock' | 'limits'>,
  enter: (work: () => Promise<T>) => unknown,
  work: () => Promise<T>,
  warn: (error: unknown) => void,
): Promise<T> {
  let done: Promise<T> | undefined;
  const called = Promise.withResolvers<void>();
  const once = (): Promise<T> => {
    done ??= work();
    called.resolve();
    return done;
  };
  const entered = (async () => enter(once))().catch(async (error: unknown) => {
    // What the work threw is no fault of the wrapper.
    const own = await done?.then(
      () => true,
      (thrown: unknown) => thrown !== error,
    );
    if (own !== false) warn(error);
  });
  if (!done) {
    const ms = limits.hookTimeoutMs;
    const { kind } = await race(clock, () => Promise.race([called.promise, entered]), { ms });
    if (!done)
      warn(new Error(kind === 'late' ? `did not begin the work within ${ms} ms` : NOT_CALLED));
  }
  return once();
}

const NOT_CALLED = 'returned without doing the work, which was done without it';
