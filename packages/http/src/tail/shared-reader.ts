import type { StreamReader } from '@helix-agents/core';
import { Tail, type Source, type TailLimits } from './tail.ts';

/** The readers of one stream, and where they meet. */
export interface Channel<T extends { readonly sequence: number }> extends TailLimits<T> {
  readers: number;
  tail: Tail<T> | null;
  open(after: number): Promise<Source<T> | null>;
  leave(): void;
}

/** Follows the tail, or comes up to it by itself. To be asked for one item at a time. */
export function createSharedReader<T extends { readonly sequence: number }>(
  channel: Channel<T>,
  after: number,
  opened: Source<T> | null,
): StreamReader<T> {
  let cursor = after;
  /** Of this reader alone, at its cursor. */
  let own = opened;
  let isClosed = false;
  let wake: (() => void) | undefined;

  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    own?.close();
    wake?.();
    channel.leave();
  };

  const openOwn = async (): Promise<void> => {
    own ??= await channel.open(cursor);
    if (isClosed) own?.close();
  };

  /** What this reader has opened becomes the tail where there is none, or one that is not as far. */
  const lead = (): void => {
    if (!own || !isAhead()) return;
    channel.tail?.retire();
    channel.tail = new Tail(own, cursor, channel);
    own = null;
  };
  const isAhead = (): boolean => cursor > (channel.tail?.head ?? -1);

  /** Undefined: look again. Null: the stream is over. */
  const follow = async (tail: Tail<T>): Promise<T | null | undefined> => {
    own?.close();
    own = null;
    if (tail.head > cursor) return tail.after(cursor);
    await new Promise<void>((resolve) => tail.advance((wake = resolve)));
    tail.forget(wake);
    if (tail.fault) throw tail.fault;
    return tail.isOver && tail.head === cursor ? null : undefined;
  };

  const readAlone = async (): Promise<T | null> => {
    await openOwn();
    const next = await own?.items.next();
    return next && !next.done ? next.value : null;
  };

  const read = async (): Promise<T | null> => {
    while (!isClosed) {
      if (isAhead()) {
        await openOwn();
        if (!own || isClosed) break;
        lead();
      }
      const { tail } = channel;
      const item = tail?.reachesBack(cursor) ? await follow(tail) : await readAlone();
      if (item !== undefined) return item;
    }
    return null;
  };

  const next = async (): Promise<IteratorResult<T, undefined>> => {
    try {
      const item = await read();
      if (item && !isClosed) {
        cursor = item.sequence;
        return { done: false, value: item };
      }
    } catch (error) {
      close();
      throw error;
    }
    close();
    return { done: true, value: undefined };
  };

  lead();
  const iterator: AsyncIterator<T, undefined> = {
    next,
    return: async () => {
      close();
      return { done: true, value: undefined };
    },
  };
  return { close, [Symbol.asyncIterator]: () => iterator };
}
