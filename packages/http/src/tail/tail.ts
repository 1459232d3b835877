/** A stream that is being read. */
export interface Source<T> {
  readonly items: AsyncIterator<T, unknown>;
  close(): void;
}

export interface TailLimits<T> {
  readonly sizeOf: (item: T) => number;
  /** 0 keeps only the last item, of any size. */
  readonly windowBytes: () => number;
}

/** A stream that is read once for many followers: its last items, and the followers that wait for the next. */
export class Tail<T extends { readonly sequence: number }> {
  /** Number of the last item that was read. */
  head: number;
  /** The stream ended after the last item. */
  isOver = false;
  fault: Error | undefined;
  readonly #source: Source<T>;
  readonly #limits: TailLimits<T>;
  /** The last items up to the head, without gaps; sizes are counted only if there is a window. */
  #kept: { readonly item: T; readonly size: number }[] = [];
  #bytes = 0;
  #isReading = false;
  #isRetired = false;
  readonly #waiting = new Set<() => void>();

  constructor(source: Source<T>, head: number, limits: TailLimits<T>) {
    this.#source = source;
    this.head = head;
    this.#limits = limits;
  }

  /** Whether a reader at this number can continue here without missing an item. */
  reachesBack(sequence: number): boolean {
    return sequence <= this.head && this.head - sequence <= this.#kept.length;
  }

  /** The item after this number; undefined if it is no longer kept. */
  after(sequence: number): T | undefined {
    return this.#kept.at(sequence - this.head)?.item;
  }

  /** Whether there may be more to read. */
  get isLive(): boolean {
    return !this.#isRetired && !this.isOver && !this.fault;
  }

  /** Reads one item for all current callers, and calls each `lookAgain` when it has arrived or there will be none. */
  advance(lookAgain: () => void): void {
    if (!this.isLive) {
      lookAgain();
      return;
    }
    this.#waiting.add(lookAgain);
    if (this.#isReading) return;
    this.#isReading = true;
    void this.#read().then(() => {
      this.#isReading = false;
      this.#wake();
    });
  }

  /** The caller of `advance` no longer waits. */
  forget(lookAgain: (() => void) | undefined): void {
    if (lookAgain) this.#waiting.delete(lookAgain);
  }

  /** Another tail has replaced this one, or there are no readers left. */
  retire(): void {
    this.#isRetired = true;
    this.#source.close();
    this.#wake();
  }

  async #read(): Promise<void> {
    try {
      const next = await this.#source.items.next();
      if (next.done) this.isOver = !this.#isRetired;
      else this.#keep(next.value);
    } catch (error) {
      this.fault = error instanceof Error ? error : new Error(String(error));
    }
  }

  #keep(item: T): void {
    const { sizeOf, windowBytes } = this.#limits;
    const window = windowBytes();
    if (window === 0 || item.sequence !== this.head + 1) {
      this.#kept = [];
      this.#bytes = 0;
    }
    this.head = item.sequence;
    const size = window === 0 ? 0 : sizeOf(item);
    this.#kept.push({ item, size });
    this.#bytes += size;
    while (this.#kept.length > 1 && this.#bytes > window) {
      this.#bytes -= this.#kept.shift()?.size ?? 0;
    }
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const lookAgain of waiting) lookAgain();
  }
}
