import type { StreamReader } from '@helix-agents/core';
import { Tail, type Source, type TailLimits } from './tail.ts';

/** The readers of one stream, and where they meet. */
export interface Channel<T extends { readonly sequence: number }> extends TailLimits<T> {
  readers: number;
  tail: Tail<T> | null;
  open(after: number): Promise<Source<T> | null>;
  leave(): void;
}

/** Follows the tail, or reads by itself until it has caught up. `next` must not be called concurrently. */
export function createSharedReader<T extends { readonly sequence: number }>(
  channel: Channel<T>,
  after: number,
  opened: Source<T> | null,
): StreamReader<T> {
  const reader = new SharedReader(channel, after, opened);
  const iterator: AsyncIterator<T, undefined> = {
    next: () => reader.next(),
    return: async () => {
      reader.close();
      return { done: true, value: undefined };
    },
  };
  return { close: () => reader.close(), [Symbol.asyncIterator]: () => iterator };
}

class SharedReader<T extends { readonly sequence: number }> {
  readonly #channel: Channel<T>;
  #cursor: number;
  /** This reader's own source, at its cursor. */
  #own: Source<T> | null;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(channel: Channel<T>, after: number, opened: Source<T> | null) {
    this.#channel = channel;
    this.#cursor = after;
    this.#own = opened;
    this.#lead();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#own?.close();
    this.#wake?.();
    this.#channel.leave();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    try {
      const item = await this.#read();
      if (item && !this.#isClosed) {
        this.#cursor = item.sequence;
        return { done: false, value: item };
      }
    } catch (error) {
      this.close();
      throw error;
    }
    this.close();
    return { done: true, value: undefined };
  }

  async #read(): Promise<T | null> {
    while (!this.#isClosed) {
      if (this.#isAhead()) {
        const own = await this.#openOwn();
        if (!own || this.#isClosed) break;
        this.#lead();
      }
      const { tail } = this.#channel;
      const isNear = tail?.reachesBack(this.#cursor);
      const item = tail && isNear ? await this.#follow(tail) : await this.#readAlone();
      if (item !== undefined) return item;
    }
    return null;
  }

  async #openOwn(): Promise<Source<T> | null> {
    this.#own ??= await this.#channel.open(this.#cursor);
    if (this.#isClosed) this.#own?.close();
    return this.#own;
  }

  /** This reader's own source becomes the tail if there is none, or if the tail is behind it. */
  #lead(): void {
    if (!this.#own || !this.#isAhead()) return;
    this.#channel.tail?.retire();
    this.#channel.tail = new Tail(this.#own, this.#cursor, this.#channel);
    this.#own = null;
  }

  #isAhead(): boolean {
    return this.#cursor > (this.#channel.tail?.head ?? -1);
  }

  /** Undefined: try again. Null: the stream is over. */
  async #follow(tail: Tail<T>): Promise<T | null | undefined> {
    this.#own?.close();
    this.#own = null;
    if (tail.head > this.#cursor) return tail.after(this.#cursor);
    await new Promise<void>((resolve) => tail.advance((this.#wake = resolve)));
    tail.forget(this.#wake);
    if (tail.fault) throw tail.fault;
    return tail.isOver && tail.head === this.#cursor ? null : undefined;
  }

  async #readAlone(): Promise<T | null> {
    const next = await (await this.#openOwn())?.items.next();
    return next && !next.done ? next.value : null;
  }
}
