import type { LLMAdapter, StateStore, StreamManager } from '@helix-agents/core';
import type { ExecutorOptions, HostSeams } from '@helix-agents/core/host';

/** How long a process may be silent before another one takes its runs over. */
export const DEFAULT_LEASE_MS = 15_000;

export interface JSAgentExecutorOptions extends ExecutorOptions {
  readonly leaseMs?: number;
  readonly seams?: HostSeams;
}

export interface JSAgentExecutorConfig extends JSAgentExecutorOptions {
  readonly stateStore: StateStore;
  readonly streamManager: StreamManager;
  readonly llmAdapter: LLMAdapter;
}
