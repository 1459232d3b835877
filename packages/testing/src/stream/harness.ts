import type { FullStreamManager } from '@helix-agents/core/store';

/** One empty stream manager, opened for one test. */
export interface StreamManagerUnderTest {
  readonly streams: FullStreamManager;
  /** Frees everything this test opened, further connections included. */
  close(): Promise<void>;
  /** Closes the manager and opens the same data again. For `persistent` managers. */
  reopen?(): Promise<FullStreamManager>;
  /** A further connection to the same data, as another process has it. For `shared` managers. */
  openSecond?(): Promise<FullStreamManager>;
}

export interface StreamCapabilities {
  /** Several processes can open the same data. */
  readonly shared: boolean;
  /** Data survives its process. */
  readonly persistent: boolean;
}

export interface TestStreamManagerOptions {
  readonly name: string;
  create(): Promise<StreamManagerUnderTest>;
  readonly capabilities: StreamCapabilities;
}

/** Opens a manager that is closed when the test ends. */
export type OpenStreams = () => Promise<StreamManagerUnderTest>;
