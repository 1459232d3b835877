import { afterThisTurn } from './after-this-turn.ts';

/** Statements under way at a time: while the server works on one, those that are back are computed here. */
const LANES = 2;
/** So many at once take all free lanes. */
const WORTH_SHARING = 8;
/** One that takes longer waits for somebody, and no longer keeps a lane from the others. */
const SLOW_MS = 100;
const MOST_AT_ONCE = 64;
/** One that is larger leaves alone. */
const MOST_CHARACTERS = 8_000_000;

/** Taken when this module is loaded: a test that fakes timers does not mean these. */
const { setTimeout, clearTimeout } = globalThis;

export interface LeaveTogetherOptions<Item, Result> {
  /** Items with the same key can leave together. */
  keyOf(item: Item): string;
  /** What it writes to: two items with the same are never under way at once, and keep their order. */
  idOf(item: Item): string;
  /** How much it has to say, in characters. */
  sizeOf(item: Item): number;
  /** Sends several; one result for each, in order. When it fails, nothing was written, or nobody knows. */
  send(items: readonly Item[]): Promise<readonly Result[]>;
  /** Whether an error is that of all that left together: then nobody knows what was written, or none would fare better alone. */
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
 * Writes that share round trips: those of one turn of the event loop, and while all lanes are taken those that arrive until
 * one is free again. An error of one is not that of the others: those that fail together are sent again, each alone.
 */
export function leaveTogether<Item, Result>(
  options: LeaveTogetherOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  const underWay = new Set<string>();
  let lanes = 0;
  let isPlanned = false;

  const take = (most: number): Waiting<Item, Result>[] => {
    const seen = new Set(underWay);
    const group: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    let size = 0;
    for (const one of waiting) {
      const isLike = group.length === 0 || one.key === group[0]?.key;
      const hasRoom = size + one.size <= MOST_CHARACTERS && group.length < most;
      const fits = isLike && !seen.has(one.id) && (hasRoom || group.length === 0);
      (fits ? group : left).push(one);
      if (fits) size += one.size;
      seen.add(one.id);
    }
    waiting = left;
    return group;
  };
  const send = async (group: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await options.send(group.map(({ item }) => item));
      for (const [place, { resolve }] of group.entries()) resolve(results[place] as Result);
    } catch (error) {
      if (group.length > 1 && !options.isOfAll(error)) {
        await Promise.all(group.map((one) => send([one])));
      } else for (const { reject } of group) reject(error);
    }
  };
  const travel = async (group: readonly Waiting<Item, Result>[]): Promise<void> => {
    for (const { id } of group) underWay.add(id);
    let hasLane = true;
    lanes += 1;
    const leaveLane = (): void => {
      if (hasLane) lanes -= 1;
      hasLane = false;
      plan();
    };
    const slow = setTimeout(leaveLane, SLOW_MS);
    await send(group);
    clearTimeout(slow);
    for (const { id } of group) underWay.delete(id);
    leaveLane();
  };
  const leave = (): void => {
    isPlanned = false;
    while (lanes < LANES) {
      const free = waiting.length < WORTH_SHARING ? 1 : LANES - lanes;
      const group = take(Math.min(Math.ceil(waiting.length / free), MOST_AT_ONCE));
      if (group.length === 0) return;
      void travel(group);
    }
  };
  const plan = (): void => {
    if (isPlanned || waiting.length === 0 || lanes >= LANES) return;
    isPlanned = true;
    afterThisTurn(leave);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      const [key, id, size] = [options.keyOf(item), options.idOf(item), options.sizeOf(item)];
      waiting.push({ item, key, id, size, resolve, reject });
      plan();
    });
}
