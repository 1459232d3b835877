import type { StoredChunk, StreamReader } from '@helix-agents/core';
import type { SqlDriver } from '../driver.ts';
import type { StreamNotifier } from './notifier.ts';
import { decodeChunk, decodeInfo, renderReadInfo, renderReadPage } from './stream-statements.ts';

export interface ReaderSource {
  readonly driver: SqlDriver;
  readonly notifier: StreamNotifier;
  /** How often a waiting reader looks for what other processes wrote. */
  readonly pollMs: number;
}

/** At most this many chunks are held in memory per reader. */
const PAGE = 256;

/**
 * A cursor into the log.
 *
 * I1. Status and chunks are read on one snapshot, so a stream that is over is left only after its
 *     last chunk.
 * I2. It subscribes before it looks: a chunk written in between is noticed.
 * I3. There is a timer only while it waits, and none after `close`.
 */
export function createSqlReader<T>(
  source: ReaderSource,
  streamId: string,
  afterSequence: number,
  view: (stored: StoredChunk) => T,
  onClose: () => void,
): StreamReader<T> & { close(): void } {
  let cursor = Math.max(0, afterSequence);
  let page: readonly StoredChunk[] = [];
  let position = 0;
  let over = false;
  let closed = false;
  const signal = createSignal();
  const unsubscribe = source.notifier.subscribe(streamId, () => signal.raise());

  const close = (): void => {
    if (closed) return;
    closed = true;
    unsubscribe();
    signal.raise();
    onClose();
  };

  const readPage = async (): Promise<void> => {
    signal.reset();
    const [info = [], chunks = []] = await source.driver.readBatch([
      renderReadInfo(streamId),
      renderReadPage(streamId, cursor, PAGE),
    ]);
    page = chunks.map(decodeChunk);
    position = 0;
    over = decodeInfo(info[0])?.status !== 'active' && page.length < PAGE;
  };

  const next = async (): Promise<IteratorResult<T, undefined>> => {
    while (!closed) {
      const stored = page[position];
      if (stored !== undefined) {
        position += 1;
        cursor = stored.sequence;
        return { done: false, value: view(stored) };
      }
      if (over) break;
      await readPage();
      if (page.length === 0 && !over && !closed) await signal.wait(source.pollMs);
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
