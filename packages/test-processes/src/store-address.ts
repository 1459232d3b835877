import type { StateStore } from '@helix-agents/core';
import type { FullStreamManager } from '@helix-agents/core/store';

/** Stores of one process. */
export interface Stores {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  readonly close: () => void;
}

/** Where a store is that several processes open. */
export interface StoreAddress {
  /** URL of a module that exports `openStores(...args): Stores`. */
  readonly module: string;
  readonly args: readonly string[];
}

export async function openStores({ module, args }: StoreAddress): Promise<Stores> {
  const opener = (await import(module)) as { openStores(...args: readonly string[]): Stores };
  return opener.openStores(...args);
}

/** As an argument of a program. */
export function writeAddress(address: StoreAddress): string {
  return JSON.stringify(address);
}

export function readAddress(argument: string): StoreAddress {
  return JSON.parse(argument) as StoreAddress;
}
