import type { StateStore } from '@helix-agents/core';
import type { FullStreamManager } from '@helix-agents/core/store';
import type { ServerClock, Target } from './measure.ts';

/** A store on a server of its own, beside the hand-written least on the same server. */
export interface ServerPlace {
  readonly name: string;
  readonly raw: RawServer;
  /** Stores over a connection of their own. */
  open(): ServerStores;
  readonly targets: {
    readonly step1: Target;
    readonly step16: Target;
    readonly call: Target;
    readonly tailP50: Target;
    readonly resume?: Target;
    readonly delta?: Target;
  };
  readonly serverClock: ServerClock;
  /** What the server has written to its log so far. */
  readonly bytesWritten: () => Promise<number>;
  close(): Promise<void>;
}

export interface ServerStores {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  readonly close: () => void;
}

/** The least a correct loop needs of a server: one atomic write that names the version it read, in one round trip. */
export interface RawServer {
  create(id: string, messages: readonly unknown[]): Promise<void>;
  commit(id: string, version: number, messages: readonly unknown[]): Promise<void>;
  /** The same with the checkpoint of a step that is whole. */
  closeStep(id: string, version: number, messages: readonly unknown[]): Promise<void>;
}
