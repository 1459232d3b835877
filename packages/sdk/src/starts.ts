import { HelixError } from '@helix-agents/core';

/** Runs that are being started. After `close` there are none. */
export class Starts {
  readonly #pending = new Set<Promise<unknown>>();
  #closed = false;

  async add<Handle>(start: () => Promise<Handle>): Promise<Handle> {
    if (this.#closed) {
      throw new HelixError({
        code: 'run_handed_over',
        message: 'This Helix was closed and starts no runs; create a new one.',
      });
    }
    const started = start();
    this.#pending.add(started);
    try {
      return await started;
    } finally {
      this.#pending.delete(started);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#pending);
  }
}
