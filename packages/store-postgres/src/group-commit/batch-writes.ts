import { afterThisTurn } from '../after-this-turn.ts';

/** Statements under way at a time: while the server works on one, the results of the other are processed here. */
const LANES = 2;
/** From this many waiting items on, all free lanes are used. */
const WORTH_SHARING = 8;
/** A statement that takes longer is waiting for a lock, and gives its lane to others. */
const SLOW_MS = 100;
const MAX_ITEMS = 64;
/** An item that is larger is sent alone. */
const MAX_CHARACTERS = 8_000_000;

/** Taken when this module is loaded, so that fake timers of a test do not apply. */
const { setTimeout, clearTimeout } = globalThis;

export interface BatchWritesOptions<Item, Result> {
  /** Items with the same key can share a statement. */
  keyOf(item: Item): string;
  /** The row it writes to: two items with the same id are never under way at once, and keep their order. */
  idOf(item: Item): string;
  /** Size of its parameters in characters. */
  sizeOf(item: Item): number;
  /** Sends several; one result for each, in order. When it fails, nothing was written, or it is not known what was. */
  send(items: readonly Item[]): Promise<readonly Result[]>;
  /** The error concerns all items of the statement: it is not known what was written, or none would fare better alone. */
  isOfAll(error: unknown): boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly key: string;
  readonly id: string;
  readonly size: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes writes share statements: those of one turn of the event loop, and while all lanes are busy those that arrive until one is
 * free. Invariants I2, I5, I6 and I7 of commit-groups.ts are kept here.
 */
export function batchWrites<Item, Result>(
  options: BatchWritesOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const batcher = new Batcher(options);
  return (item) => batcher.add(item);
}

class Batcher<Item, Result> {
  readonly #options: BatchWritesOptions<Item, Result>;
  readonly #idsUnderWay = new Set<string>();
  #waiting: Waiting<Item, Result>[] = [];
  #busyLanes = 0;
  #isScheduled = false;

  constructor(options: BatchWritesOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    const options = this.#options;
    return new Promise((resolve, reject) => {
      const key = options.keyOf(item);
      const id = options.idOf(item);
      const size = options.sizeOf(item);
      this.#waiting.push({ item, key, id, size, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0 || this.#busyLanes >= LANES) return;
    this.#isScheduled = true;
    afterThisTurn(() => this.#sendWaiting());
  }

  #sendWaiting(): void {
    this.#isScheduled = false;
    while (this.#busyLanes < LANES) {
      const { length } = this.#waiting;
      const lanes = length < WORTH_SHARING ? 1 : LANES - this.#busyLanes;
      const group = this.#takeGroup(Math.min(Math.ceil(length / lanes), MAX_ITEMS));
      if (group.length === 0) return;
      void this.#sendInLane(group);
    }
  }

  /** The first item that can leave, and those that can share its statement. */
  #takeGroup(maxItems: number): Waiting<Item, Result>[] {
    const seen = new Set(this.#idsUnderWay);
    const group: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    let size = 0;
    for (const one of this.#waiting) {
      const isLike = group.length === 0 || one.key === group[0]?.key;
      const hasRoom = size + one.size <= MAX_CHARACTERS && group.length < maxItems;
      const fits = isLike && !seen.has(one.id) && (hasRoom || group.length === 0);
      (fits ? group : left).push(one);
      if (fits) size += one.size;
      seen.add(one.id);
    }
    this.#waiting = left;
    return group;
  }

  async #sendInLane(group: readonly Waiting<Item, Result>[]): Promise<void> {
    for (const { id } of group) this.#idsUnderWay.add(id);
    let hasLane = true;
    this.#busyLanes += 1;
    const leaveLane = (): void => {
      if (hasLane) this.#busyLanes -= 1;
      hasLane = false;
      this.#schedule();
    };
    const slow = setTimeout(leaveLane, SLOW_MS);
    await this.#send(group);
    clearTimeout(slow);
    for (const { id } of group) this.#idsUnderWay.delete(id);
    leaveLane();
  }

  async #send(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.send(group.map(({ item }) => item));
      for (const [place, { resolve }] of group.entries()) resolve(results[place] as Result);
    } catch (error) {
      if (group.length > 1 && !this.#options.isOfAll(error)) {
        await Promise.all(group.map((one) => this.#send([one])));
      } else for (const { reject } of group) reject(error);
    }
  }
}
