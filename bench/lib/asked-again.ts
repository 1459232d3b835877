import type { StateStore, StreamManager } from '@helix-agents/core';
import type { Stores } from './stores.ts';

type Place = 'sessions' | 'streams';

/** One request to a store. */
export interface Asked {
  readonly place: Place;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** The same stores; every request that they get is noted. */
export function notingStores(stores: Stores, asked: Asked[]): Stores {
  const { sessions, index } = stores.stateStore;
  const stateStore: StateStore = { sessions: noting(sessions, 'sessions', asked), index };
  return {
    ...stores,
    stateStore,
    streamManager: noting<StreamManager>(stores.streamManager, 'streams', asked),
  };
}

function noting<T extends object>(target: T, place: Place, asked: Asked[]): T {
  return new Proxy(target, {
    get(inner, key) {
      const value: unknown = Reflect.get(inner, key, inner);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        asked.push({ place, method: String(key), args });
        return Reflect.apply(value, inner, args);
      };
    },
  });
}

/** The same requests about another session: each name in `renamed` stands for another. */
export function aboutAnother(
  asked: readonly Asked[],
  renamed: ReadonlyMap<string, string>,
): readonly Asked[] {
  let text = JSON.stringify(asked);
  for (const [from, to] of renamed) text = text.replaceAll(JSON.stringify(from).slice(1, -1), to);
  return JSON.parse(text) as readonly Asked[];
}

/** Asks a store the same, one request after the other, and nobody computes in between. Insists that commits are taken. */
export async function askAgain(stores: Stores, asked: readonly Asked[]): Promise<void> {
  const places = { sessions: stores.stateStore.sessions, streams: stores.streamManager };
  for (const { place, method, args } of asked) {
    const target: object = places[place];
    const value: unknown = Reflect.get(target, method, target);
    const said: unknown = await Reflect.apply(value as () => unknown, target, args);
    if (said === false) throw new Error(`${method} was refused: ${JSON.stringify(args)}`);
  }
}
