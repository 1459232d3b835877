import type { StreamReader } from '@helix-agents/core';
import { createSharedReader, type Channel } from './shared-reader.ts';

/** Opens a stream after a number; null when there is none. */
export type OpenStream<T> = (streamId: string, after: number) => Promise<StreamReader<T> | null>;

export interface TailOptions<T> {
  readonly sizeOf: (item: T) => number;
  /** Bytes of a stream that are kept for readers a little behind the others. */
  readonly windowBytes: number;
}

/**
 * The same streams, each read once for all readers at its end: they get the same items.
 *
 * I1. The next item is read only when a reader at the tail's head asks for it, never ahead of all readers.
 * I2. The last items are kept, up to `windowBytes` and one item; for a single reader, one item.
 * I3. A reader that is further behind reads the stream by itself until it has caught up.
 * I4. A reader that begins ahead of the tail replaces it: the tail only moves forward.
 * I5. The tail is closed with the last reader of its stream.
 */
export function shareTails<T extends { readonly sequence: number }>(
  open: OpenStream<T>,
  { sizeOf, windowBytes }: TailOptions<T>,
): OpenStream<T> {
  const channels = new Map<string, Channel<T>>();

  const createChannel = (streamId: string): Channel<T> => {
    const channel: Channel<T> = {
      readers: 0,
      tail: null,
      sizeOf,
      windowBytes: () => (channel.readers > 1 ? windowBytes : 0),
      async open(after) {
        const reader = await open(streamId, after);
        return reader && { close: () => reader.close(), items: reader[Symbol.asyncIterator]() };
      },
      leave() {
        channel.readers -= 1;
        if (channel.readers > 0) return;
        channel.tail?.retire();
        channels.delete(streamId);
      },
    };
    channels.set(streamId, channel);
    return channel;
  };

  return async (streamId, after) => {
    const channel = channels.get(streamId) ?? createChannel(streamId);
    channel.readers += 1;
    // A tail that ended earlier says nothing about the stream now.
    if (channel.tail?.isLive === false) channel.tail = null;
    try {
      const opened = channel.tail ? null : await channel.open(after);
      if (opened || channel.tail) return createSharedReader(channel, after, opened);
    } catch (error) {
      channel.leave();
      throw error;
    }
    channel.leave();
    return null;
  };
}
