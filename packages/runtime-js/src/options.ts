import type {
  AgentHooks,
  AgentRegistryLike,
  Clock,
  Databases,
  EngineLimits,
  LLMAdapter,
  Logger,
  Operations,
  runSession,
  StateStore,
  StreamManager,
  SubmitToolResultSchema,
  UsageStore,
} from '@helix-agents/core';

/** How long a process may be silent before another one takes its runs over. */
export const DEFAULT_LEASE_MS = 15_000;

export interface JSAgentExecutorOptions {
  readonly logger?: Logger;
  /** Where agents are found after a restart; also enables validation of submitted results. */
  readonly agentRegistry?: AgentRegistryLike;
  readonly usageStore?: UsageStore;
  /** Fire first, for every agent and sub-agent this executor drives. */
  readonly hooks?: AgentHooks;
  /** Limits of submissions: made by `createSubmitToolResultSchema`. */
  readonly submitToolResultSchema?: SubmitToolResultSchema;
  /** Text of the client-tool error codes, for other languages. Default: English. */
  readonly describeError?: (code: string) => string;
  readonly leaseMs?: number;
  readonly limits?: Partial<EngineLimits>;
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly seams?: HostSeams;
}

/** Where a host or a test comes between the parts. Nothing here changes what an agent does. */
export interface HostSeams {
  /** Sessions that live in different databases. Default: all of a tree in the state store. */
  readonly databases?: Databases;
  readonly wrapOperations?: (operations: Operations) => Operations;
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
