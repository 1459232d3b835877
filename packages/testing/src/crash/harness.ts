import type {
  AgentConfig,
  AgentExecutor,
  Clock,
  Databases,
  EngineLimits,
  FullStreamManager,
  LLMAdapter,
  SessionRef,
  StateStore,
  SubmitOutcome,
  SubmitToolResult,
} from '@helix-agents/core';

/** The one root session of every scenario. */
export const ROOT = 's1';
export const ROOT_REF: SessionRef = { rootId: ROOT, sessionId: ROOT };

/** Everything one process of the crash tests is made of. */
export interface ProcessParts {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  readonly llmAdapter: LLMAdapter;
  readonly agentRegistry: { readonly [agentType: string]: AgentConfig };
  readonly clock: Clock;
  readonly newId: () => string;
  readonly leaseMs: number;
  readonly limits: Partial<EngineLimits>;
  readonly seams: { readonly attempts: number; readonly databases?: Databases };
}

/** What is started again after a crash. */
export interface CrashExecutor extends AgentExecutor {
  submitToolResult(submission: SubmitToolResult): Promise<SubmitOutcome>;
  /** Takes over runs whose owners are dead. */
  recover(): Promise<void>;
  sweep(): Promise<unknown>;
}

/** One empty set of stores for one run of one scenario. They outlive every process that uses them. */
export interface CrashStores {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  /** Where sessions of a tree live in databases of their own. */
  readonly databases?: Databases;
  close(): Promise<void>;
}

export interface TestCrashesOptions {
  readonly name: string;
  create(options: { readonly now: () => number }): Promise<CrashStores>;
  /** A new process: an executor that shares nothing with earlier ones but the stores. */
  start(parts: ProcessParts): CrashExecutor;
  /** Every n-th boundary of each scenario; 1, the default, is all of them. */
  readonly stride?: number;
  /** Sessions of a tree live in databases of their own. */
  readonly apart?: boolean;
  /** Of the random pairs of deaths. */
  readonly seed?: number;
}
