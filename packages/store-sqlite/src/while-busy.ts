import { StoreBusyError } from '@helix-agents/store-sql';

/** Taken when this module is loaded, so that fake timers of a test do not apply. */
const later = setTimeout;
const now = (): number => performance.now();

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * Does the work at once. While another process holds the lock it is tried again after a pause, in which this process does other
 * things; after `upToMs` it fails as busy. `work` must leave nothing behind when it finds the lock held.
 */
export function whileBusy<T>(upToMs: number, work: () => T): T | Promise<T> {
  const since = now();
  try {
    return work();
  } catch (error) {
    if (!isBusy(error)) throw error;
    return tryAgain(since + upToMs, upToMs, work, error);
  }
}

async function tryAgain<T>(
  until: number,
  upToMs: number,
  work: () => T,
  first: unknown,
): Promise<T> {
  let error = first;
  for (let pause = FIRST_PAUSE_MS; now() < until; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const wait = Math.min(pause, until - now());
    await new Promise((resolve) => later(resolve, wait));
    try {
      return work();
    } catch (again) {
      if (!isBusy(again)) throw again;
      error = again;
    }
  }
  throw new StoreBusyError(upToMs, error);
}

/** SQLITE_BUSY and SQLITE_LOCKED, in the low byte of an extended code. */
export function isBusy(error: unknown): boolean {
  return [5, 6].includes(errorNumber(error) & 0xff);
}

export function errorNumber(error: unknown): number {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'errcode') : undefined;
  return typeof code === 'number' ? code : 0;
}
