import type { StoredChunk, StreamChunk, StreamReader } from '@helix-agents/core';
import type { StreamStatus } from '@helix-agents/core/store';
import type { StreamEntry } from '@helix-agents/core/store';
import { frozenCopy, toCursor } from '@helix-agents/core/store';

/**
 * One chunk log. A reader is a cursor into it and buffers nothing: a slow reader costs no memory and blocks neither the writer nor
 * other readers.
 */
export class MemoryStream {
  status: StreamStatus = 'active';
  /** The chunks that are not trimmed, oldest first. */
  readonly chunks: StoredChunk[] = [];
  /** Dedupe keys with the number of their chunk. */
  readonly #dedupeKeys = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #dropped = false;
  /** How many were trimmed: sequence n is at n - 1 - trimmed. */
  #trimmed = 0;

  get head(): number {
    return this.#trimmed + this.chunks.length;
  }

  append(entries: readonly StreamEntry[]): number {
    const chunks = entries.map(({ chunk }) => frozenCopy(chunk));
    for (let index = 0; index < chunks.length; index += 1) {
      const sequence = this.head + 1;
      const dedupeKey = entries[index]?.dedupeKey;
      if (dedupeKey !== undefined) {
        if (this.#dedupeKeys.has(dedupeKey)) continue;
        this.#dedupeKeys.set(dedupeKey, sequence);
      }
      this.chunks.push(Object.freeze({ sequence, chunk: chunks[index] as StreamChunk }));
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

  /** Deletes the chunks up to this number. */
  trim(throughSequence: number): void {
    const last = Math.min(throughSequence, this.head);
    if (last <= this.#trimmed) return;
    this.chunks.splice(0, last - this.#trimmed);
    this.#trimmed = last;
    for (const [key, sequence] of this.#dedupeKeys) {
      if (sequence <= last) this.#dedupeKeys.delete(key);
    }
  }

  after(sequence: number, limit: number): StoredChunk[] {
    const start = Math.max(0, sequence - this.#trimmed);
    return this.chunks.slice(start, start + limit);
  }

  read<T>(afterSequence: number, view: (stored: StoredChunk) => T): StreamReader<T> {
    let cursor = toCursor(afterSequence);
    let closed = false;
    const next = async (): Promise<IteratorResult<T, undefined>> => {
      while (!closed && !this.#dropped) {
        const stored = this.chunks[Math.max(0, cursor - this.#trimmed)];
        if (stored) {
          cursor = stored.sequence;
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
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
