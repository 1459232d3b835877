import type { StoredChunk, StreamReader, StreamStatus } from './stream-manager.ts';
import { toCursor } from './to-cursor.ts';

/** Where a reader finds the chunks of one stream. */
export interface LogSource {
  /**
   * Where the stream stands and its next chunks after a number, of one moment: at most `limit`, and none after the one
   * that brings their JSON to `LOG_PAGE_BYTES`. Null when the stream is gone.
   */
  page(after: number, limit: number): Promise<LogPage | null>;
  /** Tells the reader to look, also once when hints begin to arrive later than this returns; a lost one only delays. Returns what ends it. */
  subscribe(listener: () => void): () => void;
  /** How often a waiting reader looks although nobody told it to. */
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

/**
 * A cursor into a stored log, for stream managers.
 *
 * I1. Status and chunks are of one moment, so a stream that is over is left only after its last chunk.
 * I2. It subscribes before it looks: a chunk written in between is noticed.
 * I3. There is a timer only while it waits, and none after `close`.
 */
export function createLogReader<T>(
  source: LogSource,
  afterSequence: number,
  view: (stored: StoredChunk) => T,
  onClose: () => void,
): StreamReader<T> {
  let cursor = toCursor(afterSequence);
  let chunks: readonly StoredChunk[] = [];
  let position = 0;
  /** Nothing came after `chunks` when they were read. */
  let atHead = false;
  let over = false;
  let closed = false;
  const signal = createSignal();
  const unsubscribe = source.subscribe(() => signal.raise());

  const close = (): void => {
    if (closed) return;
    closed = true;
    unsubscribe();
    signal.raise();
    onClose();
  };

  const look = async (): Promise<void> => {
    signal.reset();
    // What a reader at the head is told of is mostly one chunk, and that is cheap to ask for.
    const page = await source.page(cursor, atHead ? 1 : LOG_PAGE);
    chunks = page?.chunks ?? [];
    position = 0;
    atHead = !page || (chunks.at(-1)?.sequence ?? Infinity) >= page.head;
    over = page?.status !== 'active' && atHead;
  };

  const next = async (): Promise<IteratorResult<T, undefined>> => {
    while (!closed) {
      const stored = chunks[position];
      if (stored !== undefined) {
        position += 1;
        cursor = stored.sequence;
        return { done: false, value: view(stored) };
      }
      if (over) break;
      if (atHead) await signal.wait(source.pollMs);
      if (!closed) await look();
    }
    close();
    return { done: true, value: undefined };
  };

  let turn: Promise<unknown> = Promise.resolve();
  const iterator: AsyncIterator<T, undefined> = {
    next: () => {
      const result = turn.then(next, next);
      turn = result.catch(close);
      return result;
    },
    return: async () => {
      close();
      return { done: true, value: undefined };
    },
  };
  return { close, [Symbol.asyncIterator]: () => iterator };
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
