// Taken before a test can replace it with a fake. Where there is none, a timer is as good and slower.
const { setImmediate: soon = (callback: () => void) => setTimeout(callback, 0) } =
  globalThis as unknown as { setImmediate?: (callback: () => void) => unknown };

let watched = false;
let digests = 0;

/** One turn of the event loop: every promise that can go on has gone on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void soon(resolve));
}

/** Counts the hashes that are computed on another thread, where the event loop does not see them. */
export function watchDigests(): void {
  if (watched) return;
  watched = true;
  const { subtle } = globalThis.crypto;
  const digest = subtle.digest.bind(subtle);
  subtle.digest = async (...input: Parameters<typeof digest>): Promise<ArrayBuffer> => {
    digests += 1;
    try {
      return await digest(...input);
    } finally {
      digests -= 1;
    }
  };
}

/** Whether a hash is being computed. Always false before `watchDigests`. */
export function isHashing(): boolean {
  return digests > 0;
}
