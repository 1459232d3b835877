import { HANGS_AFTER_MS } from '../world/whole.ts';

/** A place in a tool or a model where a test holds it. */
export interface Barrier {
  /** Resolves when somebody stands before it. */
  readonly reached: Promise<void>;
  /** Called by what is to be held. */
  pass(): Promise<void>;
  open(): void;
}

export function barrier(): Barrier {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    pass() {
      reached.resolve();
      return opened.promise;
    },
    open: () => opened.resolve(),
  };
}

/** Resolves when the barrier opens, rejects when what is held is told to stop. */
export function heldUntilStopped(
  held: Barrier,
  { abortSignal }: { readonly abortSignal: AbortSignal },
): Promise<void> {
  const stopped = new Promise<never>((_, reject) => {
    abortSignal.addEventListener('abort', () => reject(new Error('stopped')));
  });
  return Promise.race([held.pass(), stopped]);
}

/** Half of what a test may take, so that it says what it waited for. */
const PATIENCE_MS = HANGS_AFTER_MS / 2;

/** Waits until it holds, looking again every millisecond, and less often when it takes long. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const since = Date.now();
  while (!(await holds())) {
    const waited = Date.now() - since;
    if (waited > PATIENCE_MS) throw new Error(`Waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, waited < 100 ? 1 : 10));
  }
}
