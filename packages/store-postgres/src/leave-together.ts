import { afterThisTurn } from './after-this-turn.ts';

/** Statements under way at a time: while one waits for the disk the next is on its way. */
const LANES = 2;
const MOST_AT_ONCE = 64;

export interface LeaveTogetherOptions<Item, Result> {
  /** Items with the same key can leave together. */
  keyOf(item: Item): string;
  /** What it writes to; two items with the same never leave together, and keep their order. */
  idOf(item: Item): string;
  /** Sends several; one result for each, in order. */
  send(items: readonly Item[]): Promise<readonly Result[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly key: string;
  readonly id: string;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes that share round trips: those of one turn of the event loop, and while all lanes are taken those that arrive until
 * one is free again.
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
    for (const one of waiting) {
      const fits = one.key === key && !seen.has(one.id) && group.length < MOST_AT_ONCE;
      (fits ? group : left).push(one);
      seen.add(one.id);
    }
    waiting = left;
    return group;
  };
  const send = async (group: readonly Waiting<Item, Result>[]): Promise<void> => {
    lanes += 1;
    try {
      const results = await options.send(group.map(({ item }) => item));
      for (const [place, { resolve }] of group.entries()) resolve(results[place] as Result);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    lanes -= 1;
    plan();
  };
  const leave = (): void => {
    isPlanned = false;
    while (waiting.length > 0 && lanes < LANES) void send(take());
  };
  const plan = (): void => {
    if (isPlanned || waiting.length === 0 || lanes >= LANES) return;
    isPlanned = true;
    afterThisTurn(leave);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      const [key, id] = [options.keyOf(item), options.idOf(item)];
      waiting.push({ item, key, id, resolve, reject });
      plan();
    });
}
