import type { StoredChunk, StreamReader } from '@helix-agents/core';
import type { LiveHints } from './live-hints.ts';
import { toStored, type StreamPage } from './stream-pages.ts';

export interface ReaderSource {
  readonly hints: LiveHints;
  readonly channel: string;
  /** At most `PAGE` chunks after a number; null when the stream is gone. */
  readonly page: (after: number) => Promise<StreamPage | null>;
  /** How often a waiting reader looks although nobody told it to. */
  readonly pollMs: number;
}

/** At most this many chunks are held in memory per reader. */
export const PAGE = 256;

/**
 * A cursor into the log.
 *
 * I1. Status and chunks are read on one snapshot, so a stream that is over is left only after its last chunk.
 * I2. It looks once more after hints have begun to arrive: a chunk written in between is noticed.
 * I3. There is a timer only while it waits, and none after `close`.
 */
export function createRedisReader<T>(
  source: ReaderSource,
  afterSequence: number,
  view: (stored: StoredChunk) => T,
  onClose: () => void,
): StreamReader<T> {
  let cursor = Math.max(0, afterSequence);
  let entries: StreamPage['entries'] = [];
  let position = 0;
  let over = false;
  let closed = false;
  let endHints: (() => void) | undefined;
  const signal = createSignal();

  const close = (): void => {
    if (closed) return;
    closed = true;
    endHints?.();
    signal.raise();
    onClose();
  };

  const look = async (): Promise<void> => {
    signal.reset();
    const page = await source.page(cursor);
    entries = page?.entries ?? [];
    position = 0;
    over = page?.status !== 'active' && entries.length < PAGE;
  };

  const wait = (): Promise<void> => {
    endHints ??= source.hints.subscribe(source.channel, () => signal.raise());
    return signal.wait(source.pollMs);
  };

  const next = async (): Promise<IteratorResult<T, undefined>> => {
    while (!closed) {
      const entry = entries[position];
      if (entry !== undefined) {
        position += 1;
        cursor = entry[0];
        return { done: false, value: view(toStored(entry)) };
      }
      if (over) break;
      await look();
      if (entries.length === 0 && !over && !closed) await wait();
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
