import type { StoredChunk, StreamReader, StreamStatus } from './stream-manager.ts';
import { toCursor } from './to-cursor.ts';

/** Where a reader finds the chunks of one stream. */
export interface LogSource {
  /**
   * Where the stream stands and its next chunks after a number, of one moment: at most `limit`, and none after the one
   * that brings their JSON to `LOG_PAGE_BYTES`. Null when the stream is gone.
   */
  page(after: number, limit: number): Promise<LogPage | null>;
  /** Calls back when there may be new chunks, also once when a subscription becomes active only later; a lost hint only delays. Returns how to unsubscribe. */
  subscribe(listener: () => void): () => void;
  /** How often a waiting reader looks without a hint. */
  readonly pollMs: number;
}

export interface LogPage {
  readonly status: StreamStatus;
  /** Sequence of the stream's newest chunk. */
  readonly head: number;
  readonly chunks: readonly StoredChunk[];
}

/** At most this many chunks are held in memory per reader. */
export const LOG_PAGE = 256;

/** At most this much, and one chunk, is held in memory per reader. */
export const LOG_PAGE_BYTES = 65_536;

/** A cursor into a stored log, for stream managers. `view` makes what the reader yields of a stored chunk. */
export function createLogReader<T>(
  source: LogSource,
  afterSequence: number,
  view: (stored: StoredChunk) => T,
  onClose: () => void,
): StreamReader<T> {
  const cursor = new LogCursor(source, toCursor(afterSequence), onClose);
  let turn: Promise<unknown> = Promise.resolve();
  const next = async (): Promise<IteratorResult<T, undefined>> => {
    const stored = await cursor.next();
    return stored ? { done: false, value: view(stored) } : { done: true, value: undefined };
  };
  const iterator: AsyncIterator<T, undefined> = {
    next: () => {
      const result = turn.then(next, next);
      turn = result.catch(() => cursor.close());
      return result;
    },
    return: async () => {
      cursor.close();
      return { done: true, value: undefined };
    },
  };
  return { close: () => cursor.close(), [Symbol.asyncIterator]: () => iterator };
}

/**
 * I1. Status and chunks are of one moment, so a stream that is over is left only after its last chunk.
 * I2. It subscribes before it looks: a chunk written in between is noticed.
 * I3. There is a timer only while it waits, and none after `close`.
 */
class LogCursor {
  readonly #source: LogSource;
  readonly #onClose: () => void;
  readonly #signal = createSignal();
  readonly #unsubscribe: () => void;
  #after: number;
  #chunks: readonly StoredChunk[] = [];
  #position = 0;
  /** Nothing came after `#chunks` when they were read. */
  #atHead = false;
  #over = false;
  #closed = false;

  constructor(source: LogSource, after: number, onClose: () => void) {
    this.#source = source;
    this.#after = after;
    this.#onClose = onClose;
    this.#unsubscribe = source.subscribe(() => this.#signal.raise());
  }

  /** Waits for the next chunk; null when there will be none. */
  async next(): Promise<StoredChunk | null> {
    while (!this.#closed) {
      const stored = this.#chunks[this.#position];
      if (stored !== undefined) {
        this.#position += 1;
        this.#after = stored.sequence;
        return stored;
      }
      if (this.#over) break;
      if (this.#atHead) await this.#signal.wait(this.#source.pollMs);
      if (!this.#closed) await this.#look();
    }
    this.close();
    return null;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe();
    this.#signal.raise();
    this.#onClose();
  }

  async #look(): Promise<void> {
    this.#signal.reset();
    // At the head a hint mostly stands for one chunk, and one is cheap to ask for.
    const page = await this.#source.page(this.#after, this.#atHead ? 1 : LOG_PAGE);
    this.#chunks = page?.chunks ?? [];
    this.#position = 0;
    this.#atHead = !page || (this.#chunks.at(-1)?.sequence ?? Infinity) >= page.head;
    this.#over = page?.status !== 'active' && this.#atHead;
  }
}

interface Signal {
  raise(): void;
  reset(): void;
  /** Until it is raised, or the time is over; at once if it was raised since the reset. */
  wait(timeoutMs: number): Promise<void>;
}

function createSignal(): Signal {
  let raised = false;
  let wake: (() => void) | undefined;
  return {
    raise() {
      raised = true;
      wake?.();
    },
    reset() {
      raised = false;
    },
    async wait(timeoutMs) {
      if (raised) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = undefined;
    },
  };
}
