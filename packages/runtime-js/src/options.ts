import type { LLMAdapter, StateStore, StreamManager } from '@helix-agents/core';
import type { ExecutorOptions, OperationSeams, runSession } from '@helix-agents/core/host';

/** How long a process may be silent before another one takes its runs over. */
export const DEFAULT_LEASE_MS = 15_000;

export interface JSAgentExecutorOptions extends ExecutorOptions {
  readonly leaseMs?: number;
  readonly seams?: HostSeams;
}

/** Where a host or a test replaces parts of the runtime. Nothing here changes what an agent does. */
export interface HostSeams extends OperationSeams {
  /** Runs the loop over its host. Default: `runSession`. */
  readonly runLoop?: typeof runSession;
  /** False: operations behave as if each ran in a process of its own. */
  readonly shareMemory?: boolean;
  /** Attempts at an operation that throws. */
  readonly attempts?: number;
}

export interface JSAgentExecutorConfig extends JSAgentExecutorOptions {
  readonly stateStore: StateStore;
  readonly streamManager: StreamManager;
  readonly llmAdapter: LLMAdapter;
}
