import type {
  AgentExecutor,
  AgentHooks,
  AgentRegistryLike,
  Clock,
  Databases,
  EngineLimits,
  FullStreamManager,
  LLMAdapter,
  Logger,
  Operations,
  PruneOptions,
  PruneSummary,
  SessionIndex,
  StateStore,
  TrimOptions,
  TrimSummary,
  UsageStore,
} from '@helix-agents/core';
import type { ProcessLife } from './process-life.ts';

/** What an executor of the runtime under test is made of. */
export interface ExecutorParts {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  readonly usageStore: UsageStore;
  readonly llmAdapter: LLMAdapter;
  readonly agentRegistry: AgentRegistryLike;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly limits: Partial<EngineLimits>;
  readonly logger: Logger;
  readonly hooks?: AgentHooks;
  readonly describeError?: (code: string) => string;
  /** Where sessions live, behind the line of this one process. */
  readonly databases: Databases;
  readonly life: ProcessLife;
  /** To be put around the operations the loop calls, outside everything else. */
  readonly wrapOperations: (operations: Operations) => Operations;
}

export interface RuntimeExecutor extends AgentExecutor {
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
  recover(): Promise<void>;
  pruneSessions(options: PruneOptions): Promise<PruneSummary>;
  trimStreams(options: TrimOptions): Promise<TrimSummary>;
  shutdown(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Fresh stores, and a way to make executors over them: each stands for a process of its own. */
export interface RuntimeUnderTest {
  readonly databases: Databases;
  readonly index: SessionIndex;
  readonly streams: FullStreamManager;
  readonly usage: UsageStore;
  newExecutor(parts: ExecutorParts): RuntimeExecutor;
  close(): Promise<void>;
}

export interface TestRuntimeOptions {
  readonly name: string;
  /** Who notices that a process died: others, by its lease (default), or the engine that the runtime is built on. */
  readonly keepsRunsAlive?: 'lease' | 'engine';
  /** Sessions of a tree live in databases of their own. */
  readonly apart?: boolean;
  create(title: string): Promise<RuntimeUnderTest>;
  /** Another runtime, on which each scenario that is no race has to leave the same history. */
  readonly sameAs?: () => Promise<RuntimeUnderTest>;
  /** Which scenarios are not skipped, by their place in the list: for one more database under a runtime that plays all. */
  readonly plays?: (place: number) => boolean;
}
