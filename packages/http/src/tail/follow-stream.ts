import type { StreamReader } from '@helix-agents/core';
import type { OpenStream } from './shared-tails.ts';

export interface FollowOptions<T, End> {
  readonly open: OpenStream<T>;
  readonly streamId: string;
  /** Items after this number. */
  readonly after: number;
  /** Called with the last number when the stream is closed or missing. Returns the value to end with, or null to open it again. */
  readonly endAt: (sequence: number) => Promise<End | null>;
}

/** Reads a stream across all the runs that write to it. */
export interface Follower<T, End> {
  /** Its return value is that of `endAt`; undefined after `close`. To be iterated once. */
  readonly items: AsyncGenerator<T, End | undefined, undefined>;
  /** Opens the stream again: it may have been deleted and created again. */
  readonly reopen: () => void;
  readonly close: () => void;
}

/** Delay before the stream is opened again: a claimed run has not opened it yet, or its owner died. */
const REOPEN_MS = 50;

export function followStream<T extends { readonly sequence: number }, End>(
  options: FollowOptions<T, End>,
): Follower<T, End> {
  const { open, streamId, after, endAt } = options;
  const closed = new AbortController();
  let reader: StreamReader<T> | null = null;

  async function* read(): AsyncGenerator<T, End | undefined, undefined> {
    let cursor = after;
    while (!closed.signal.aborted) {
      reader = await open(streamId, cursor);
      try {
        if (closed.signal.aborted) return undefined;
        for await (const item of reader ?? []) {
          cursor = item.sequence;
          yield item;
        }
      } finally {
        reader?.close();
      }
      if (closed.signal.aborted) return undefined;
      const end = await endAt(cursor);
      if (end !== null) return end;
      await pause(REOPEN_MS, closed.signal);
    }
    return undefined;
  }

  return {
    items: read(),
    reopen: () => reader?.close(),
    close: () => {
      closed.abort();
      reader?.close();
    },
  };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
