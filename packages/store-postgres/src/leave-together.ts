import { afterThisTurn } from './after-this-turn.ts';
import { StoreUnavailableError } from '@helix-agents/core';

/** Statements under way at a time: while one waits for the disk the next is on its way. */
const LANES = 2;
const MOST_AT_ONCE = 64;
/** One that is larger leaves alone. */
const MOST_CHARACTERS = 8_000_000;

export interface LeaveTogetherOptions<Item, Result> {
  /** Items with the same key can leave together. */
  keyOf(item: Item): string;
  /** What it writes to; two items with the same never leave together, and keep their order. */
  idOf(item: Item): string;
  /** How much it has to say, in characters. */
  sizeOf(item: Item): number;
  /** Sends several; one result for each, in order. When it fails, nothing was written, or the server cannot be reached. */
  send(items: readonly Item[]): Promise<readonly Result[]>;
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
  let lanes = 0;
  let isPlanned = false;

  const take = (): Waiting<Item, Result>[] => {
    const key = waiting[0]?.key;
    const seen = new Set<string>();
    const group: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    let size = 0;
    for (const one of waiting) {
      const hasRoom = size + one.size <= MOST_CHARACTERS && group.length < MOST_AT_ONCE;
      const fits = one.key === key && !seen.has(one.id) && (hasRoom || group.length === 0);
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
      if (group.length > 1 && !StoreUnavailableError.isInstance(error)) {
        await Promise.all(group.map((one) => send([one])));
      } else for (const { reject } of group) reject(error);
    }
  };
  const travel = async (group: readonly Waiting<Item, Result>[]): Promise<void> => {
    lanes += 1;
    await send(group);
    lanes -= 1;
    plan();
  };
  const leave = (): void => {
    isPlanned = false;
    while (waiting.length > 0 && lanes < LANES) void travel(take());
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
