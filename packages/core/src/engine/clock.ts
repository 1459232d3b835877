/** Injected time. `setTimer` returns its cancellation. */
export interface Clock {
  now(): number;
  setTimer(ms: number, callback: () => void): () => void;
}

/** Reason of an abort that only frees a timer: without one every abort makes an exception with a stack. */
export const DONE = 'done';

/** Resolves after `ms`, or early with false when the signal aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.setTimer(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve(true);
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}
