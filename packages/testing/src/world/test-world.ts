import type {
  AgentExecutor,
  AgentRegistryLike,
  Clock,
  LLMAdapter,
  PruneOptions,
  PruneSummary,
  StateStore,
  TrimOptions,
  TrimSummary,
  UsageStore,
} from '@helix-agents/core';
import type { Databases, ExecutorOptions } from '@helix-agents/core/host';
import type { FullStreamManager, SessionRef, SessionStore } from '@helix-agents/core/store';
import type { HostSeams } from '@helix-agents/core/host';
import type { ProcessLife } from './process-life.ts';

/**
 * What every suite of executors runs in: empty stores, and a way to start processes over them.
 *
 * @example
 * const open: OpenTestWorld = ({ now }) => ({
 *   ...openSqlite(':memory:', { now }),
 *   start: (parts) => new JSAgentExecutor(parts),
 * });
 */
export interface TestWorld {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  readonly usageStore: UsageStore;
  /** Where sessions of a tree live in databases of their own. */
  readonly databases?: Databases;
  /** A process: an executor that shares nothing with earlier ones but the stores. */
  start(parts: ExecutorParts): ExecutorUnderTest;
  close(): void | Promise<void>;
}

/** What a world may need to know of the suite it is opened for. */
export interface TestWorldOptions {
  /** The time of the suite. */
  readonly now: () => number;
  /** For hosts that decide at random. */
  readonly seed: number;
  /** Of the test. */
  readonly title: string;
  /**
   * Logs what reaches a session store. A world in which sessions live apart puts it around each of their stores, below
   * everything that loses replies; other worlds need not.
   */
  readonly watch: (store: SessionStore) => SessionStore;
}

export type OpenTestWorld = (options: TestWorldOptions) => TestWorld | Promise<TestWorld>;

/** What an executor under test is made of: the options of the runtime's own executor. */
export interface ExecutorParts extends ExecutorOptions {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  readonly llmAdapter: LLMAdapter;
  readonly agentRegistry: AgentRegistryLike;
  readonly clock: Clock;
  readonly leaseMs?: number;
  /** What the suite intercepts; the host's own seams are inside of it. */
  readonly seams: HostSeams & {
    /** Whether the process is alive, for hosts whose engine detects dead workers. */
    readonly life?: ProcessLife;
  };
}

export interface ExecutorUnderTest extends AgentExecutor {
  submitToolResult: NonNullable<AgentExecutor['submitToolResult']>;
  sweep(): Promise<{
    readonly expired: number;
    readonly reminded: number;
    readonly closed: number;
    readonly purged: number;
    readonly recovered: number;
    /** Suspended sessions whose calls are all answered. */
    readonly answered: readonly string[];
  }>;
  /** Sweeps until the returned function is called. */
  supervise(options?: {
    readonly everyMs?: number;
    readonly autoResume?: boolean;
  }): () => Promise<void>;
  /** Takes over runs whose owners are dead. */
  recover(): Promise<void>;
  pruneSessions(options: PruneOptions): Promise<PruneSummary>;
  trimStreams(options: TrimOptions): Promise<TrimSummary>;
  shutdown(options?: { readonly graceMs?: number }): Promise<void>;
}

/** The store in which a session lives. */
export function storeOf({ databases, stateStore }: TestWorld, ref: SessionRef): SessionStore {
  return databases?.of(ref) ?? stateStore.sessions;
}
