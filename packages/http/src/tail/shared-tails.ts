import type { StreamReader } from '@helix-agents/core';
import { createSharedReader, type Channel } from './shared-reader.ts';

/** Opens a stream after a number; null when there is none. */
export type OpenStream<T> = (streamId: string, after: number) => Promise<StreamReader<T> | null>;

export interface TailOptions<T> {
  readonly sizeOf: (item: T) => number;
  /** How much is kept of a stream for those of its readers that are a little behind the others. */
  readonly windowBytes: number;
}

/**
 * The same streams, each read once for all who are at its end: they are handed the same items.
 *
 * I1. A stream is read on when a reader that stands at the end of what was read asks, never ahead of all of them.
 * I2. What was read is kept up to `windowBytes` and one item; for a single reader, one item.
 * I3. A reader that is behind that reads the stream by itself until it has come up.
 * I4. A reader that begins further ahead takes the tail along: it only moves forward.
 * I5. The tail goes with the last reader of its stream.
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
    // One that ended before this reader came says nothing about the stream now.
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
