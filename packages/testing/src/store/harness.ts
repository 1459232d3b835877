import type { FullStreamManager, SessionIndex, SessionStore } from '@helix-agents/core/store';

export type Store = SessionStore & SessionIndex;

/** One empty store, opened for one test. */
export interface SessionStoreUnderTest {
  readonly store: Store;
  /** Frees everything this test opened, further connections included. */
  close(): Promise<void>;
  /** Closes the store and opens the same data again. For `persistent` stores. */
  reopen?(): Promise<Store>;
  /** A further connection to the same data, as another process has it. For `shared` stores. */
  openSecond?(): Promise<Store>;
  /** A further connection whose times are on the clock of the server. For stores with a `serverClock`. */
  openOnServerClock?(): Promise<Store>;
  /** Streams that live with the sessions; then deleting a session must take its stream along. */
  readonly streams?: FullStreamManager;
}

export interface StoreCapabilities {
  /** Several processes can open the same data. */
  readonly shared: boolean;
  /** Data survives its process. */
  readonly persistent: boolean;
  /** Deadlines and leases are on the clock of a server, which all processes share; else on that of each caller. */
  readonly serverClock: boolean;
  /** Plans carry writes to `streams` of the same database; both then have to confirm it (`canCarry`). */
  readonly carriesStreams?: boolean;
  /** The database takes no larger value than this many bytes; a larger one is refused, with nothing written. */
  readonly largestValueBytes?: number;
}

export interface TestSessionStoreOptions {
  readonly name: string;
  create(): Promise<SessionStoreUnderTest>;
  readonly capabilities: StoreCapabilities;
}

/** Opens a store that is closed when the test ends. */
export type OpenStore = () => Promise<SessionStoreUnderTest>;
