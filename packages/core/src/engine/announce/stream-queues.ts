import type { Clock } from '../clock.ts';
import type { Said } from './say.ts';

const LATER_MS = 25;
const noop = (): void => undefined;

interface Queue {
  said: Said[];
  writing: Promise<unknown>;
  cancelTimer: (() => void) | null;
}

/** What this process says, stream by stream, in the order in which it says it. */
export class StreamQueues {
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #write: (streamId: string, said: readonly Said[]) => Promise<void>;
  readonly #queues = new Map<string, Queue>();

  constructor(
    clock: Pick<Clock, 'setTimer'>,
    write: (streamId: string, said: readonly Said[]) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#write = write;
  }

  add(streamId: string, said: readonly Said[]): Queue {
    const queue = this.#queues.get(streamId) ?? {
      said: [],
      writing: Promise.resolve(),
      cancelTimer: null,
    };
    this.#queues.set(streamId, queue);
    queue.said.push(...said);
    return queue;
  }

  addLater(streamId: string, said: readonly Said[]): Queue {
    const queue = this.add(streamId, said);
    queue.cancelTimer ??= this.#clock.setTimer(LATER_MS, () => void this.flush(streamId));
    return queue;
  }

  /** Before all that waits. */
  putBack(streamId: string, said: readonly Said[]): void {
    if (said.length === 0) return;
    this.addLater(streamId, []).said.unshift(...said);
  }

  /** Returns when nothing is being written; what waits goes on waiting. */
  async idle(streamId: string): Promise<void> {
    await this.#queues.get(streamId)?.writing;
  }

  async flush(streamId: string): Promise<void> {
    if (this.#queues.has(streamId)) await this.after(streamId, async () => undefined);
  }

  /** Runs when all that was said before is written, and before anything that is said after. */
  after<T>(streamId: string, work: () => Promise<T>): Promise<T> {
    return this.take(streamId, async (said) => {
      await this.#write(streamId, said);
      return work();
    });
  }

  /** The same, and is handed what is not written yet. */
  async take<T>(streamId: string, work: (said: readonly Said[]) => Promise<T>): Promise<T> {
    const queue = this.add(streamId, []);
    queue.cancelTimer?.();
    queue.cancelTimer = null;
    const { said } = queue;
    queue.said = [];
    const done = queue.writing.then(() => work(said));
    const settled = done.then(noop, noop);
    queue.writing = settled;
    try {
      return await done;
    } finally {
      if (queue.writing === settled && queue.said.length === 0) this.#queues.delete(streamId);
    }
  }
}
