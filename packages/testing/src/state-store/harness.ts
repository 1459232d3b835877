import type { SessionStateStore, StateStore } from '@helix-agents/core';
import type { StoreCapabilities } from '../store/harness.ts';

/** The long surface, and the small contracts below it to put rows in place. */
export type FullStateStore = SessionStateStore & StateStore;

/** One empty store, opened for one test. */
export interface StateStoreUnderTest {
  readonly store: FullStateStore;
  /** Frees everything this test opened, further connections included. */
  close(): Promise<void>;
  /** A further connection to the same data, as another process has it. For `shared` stores. */
  openSecond?(): Promise<FullStateStore>;
}

export interface TestStateStoreOptions {
  readonly name: string;
  create(): Promise<StateStoreUnderTest>;
  readonly capabilities: Pick<StoreCapabilities, 'shared'>;
}

export interface OpenedStateStore {
  readonly store: FullStateStore;
  /** Connections to race over: two where the store can be shared, else the one. */
  readonly connections: readonly [FullStateStore, ...FullStateStore[]];
}

/** Opens a store that is closed when the test ends. */
export type OpenStateStore = () => Promise<OpenedStateStore>;

/** What a promise was rejected with; fails when it was not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
}
