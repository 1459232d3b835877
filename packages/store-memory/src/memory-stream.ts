import type { StoredChunk, StreamEntry, StreamReader, StreamStatus } from '@helix-agents/core';
import { frozenCopy } from './frozen-copy.ts';

/**
 * One chunk log. A reader is a cursor into it and holds no chunks of its own: a slow one costs
 * nothing and never holds a writer or another reader back.
 */
export class MemoryStream {
  status: StreamStatus = 'active';
  readonly chunks: StoredChunk[] = [];
  readonly #dedupeKeys = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #dropped = false;

  /** Sequence n is at n - 1. */
  get head(): number {
    return this.chunks.length;
  }

  append(entries: readonly StreamEntry[]): number {
    for (const { chunk, dedupeKey } of frozenCopy(entries)) {
      if (dedupeKey !== undefined) {
        if (this.#dedupeKeys.has(dedupeKey)) continue;
        this.#dedupeKeys.add(dedupeKey);
      }
      this.chunks.push(Object.freeze({ sequence: this.head + 1, chunk }));
    }
    this.#wake();
    return this.head;
  }

  setStatus(status: StreamStatus): void {
    this.status = status;
    this.#wake();
  }

  /** The stream was deleted: readers end at once. */
  drop(): void {
    this.#dropped = true;
    this.#wake();
  }

  after(sequence: number, limit: number = Infinity): StoredChunk[] {
    const start = Math.max(0, sequence);
    return this.chunks.slice(start, start + limit);
  }

  read<T>(afterSequence: number, view: (stored: StoredChunk) => T): StreamReader<T> {
    let cursor = Math.max(0, afterSequence);
    let closed = false;
    const next = async (): Promise<IteratorResult<T, undefined>> => {
      while (!closed && !this.#dropped) {
        const stored = this.chunks[cursor];
        if (stored) {
          cursor += 1;
          return { done: false, value: view(stored) };
        }
        if (this.status !== 'active') break;
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
      return { done: true, value: undefined };
    };
    const close = (): void => {
      closed = true;
      this.#wake();
    };
    const iterator: AsyncIterator<T, undefined> = {
      next,
      return: async () => {
        close();
        return { done: true, value: undefined };
      },
    };
    return { close, [Symbol.asyncIterator]: () => iterator };
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
