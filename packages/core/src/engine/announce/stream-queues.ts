import type { Clock } from '../clock.ts';
import type { QueuedChunk } from './append-chunks.ts';

/** How long a chunk waits for others that share its write. */
const LATER_MS = 25;
/** How many chunks of a stream are kept while its store is down. */
const MOST_KEPT = 256;
const noop = (): void => undefined;

interface Queue {
  chunks: QueuedChunk[];
  writing: Promise<unknown>;
  cancelTimer: (() => void) | null;
}

/** The chunks that this process has to write, a queue per stream. */
export class StreamQueues {
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #write: (streamId: string, queued: readonly QueuedChunk[]) => Promise<void>;
  readonly #queues = new Map<string, Queue>();

  constructor(
    clock: Pick<Clock, 'setTimer'>,
    write: (streamId: string, queued: readonly QueuedChunk[]) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#write = write;
  }

  add(streamId: string, queued: readonly QueuedChunk[]): Queue {
    const queue = this.#queues.get(streamId) ?? {
      chunks: [],
      writing: Promise.resolve(),
      cancelTimer: null,
    };
    this.#queues.set(streamId, queue);
    queue.chunks.push(...queued);
    return queue;
  }

  addLater(streamId: string, queued: readonly QueuedChunk[]): Queue {
    const queue = this.add(streamId, queued);
    queue.cancelTimer ??= this.#clock.setTimer(LATER_MS, () => void this.flush(streamId));
    return queue;
  }

  /** Returns when no write is in progress; queued chunks stay queued. */
  async idle(streamId: string): Promise<void> {
    await this.#queues.get(streamId)?.writing;
  }

  async flush(streamId: string): Promise<void> {
    if (this.#queues.has(streamId)) await this.after(streamId, async () => undefined);
  }

  /** Runs when all that was queued before is written, and before anything that is queued after. */
  after<T>(streamId: string, work: () => Promise<T>): Promise<T> {
    return this.take(streamId, async (queued) => {
      await this.#write(streamId, queued);
      return work();
    });
  }

  /** Runs after the write in progress, and takes over the queued chunks. */
  async take<T>(
    streamId: string,
    work: (queued: readonly QueuedChunk[]) => Promise<T>,
  ): Promise<T> {
    const queue = this.add(streamId, []);
    queue.cancelTimer?.();
    queue.cancelTimer = null;
    const { chunks: queued } = queue;
    queue.chunks = [];
    const done = queue.writing.then(() => work(queued));
    const settled = done.then(noop, noop);
    queue.writing = settled;
    try {
      return await done;
    } finally {
      if (queue.writing === settled && queue.chunks.length === 0) this.#queues.delete(streamId);
    }
  }

  /**
   * Gives `commit` the queued chunks. If it was refused they are all queued again. If it failed its outcome is unknown: only
   * chunks with a key are queued again.
   */
  carry(
    streamId: string,
    commit: (queued: readonly QueuedChunk[]) => Promise<boolean>,
  ): Promise<boolean> {
    return this.take(streamId, async (queued) => {
      let left = queued.filter(({ entry }) => entry.dedupeKey !== undefined);
      try {
        const isApplied = await commit(queued);
        left = isApplied ? [] : [...queued];
        return isApplied;
      } finally {
        this.#putBack(streamId, left);
      }
    });
  }

  /** Puts chunks in front of the queue. They go out with the next write; no timer is set, because the store is down. */
  keep(streamId: string, queued: readonly QueuedChunk[]): void {
    if (queued.length === 0) return;
    const queue = this.add(streamId, []);
    queue.chunks = [...queued.slice(-MOST_KEPT), ...queue.chunks];
  }

  /** Drops chunks kept by `keep`; chunks that wait for their timer are still written. */
  async forget(streamId: string): Promise<void> {
    await this.idle(streamId);
    const queue = this.#queues.get(streamId);
    if (queue?.cancelTimer !== null) return;
    queue.chunks = [];
    await this.flush(streamId);
  }

  #putBack(streamId: string, queued: readonly QueuedChunk[]): void {
    if (queued.length > 0) this.addLater(streamId, []).chunks.unshift(...queued);
  }
}
