import { refuseUnknownOptions } from '../define/refuse-unknown.ts';
import type { AgentRegistryLike } from '../define/resolve-agent.ts';
import type { SubmitToolResultSchema } from '../define/submit-schema.ts';
import type { Clock } from '../engine/clock.ts';
import type { Databases, EngineLimits } from '../engine/context.ts';
import type { Operations } from '../host/operations.ts';
import type { runSession } from '../loop/run-session.ts';
import type { AgentDirectory } from './agent-directory.ts';
import type { AgentHooks } from '../define/hooks.ts';
import type { LLMAdapter } from '../llm/adapter.ts';
import type { Logger } from '../logger.ts';
import type { StateStore } from '../store/state-store.ts';
import type { StreamManager } from '../stream/stream-manager.ts';
import type { UsageStore } from '../usage/usage.ts';
import type { KnownKeys, OtherNames } from '../util/known-keys.ts';

/** What every executor may be told. */
export interface ExecutorOptions {
  /** pino, winston, bunyan and the console are taken as they are. */
  readonly logger?: Logger;
  /** On every log line of this executor, as `service`. */
  readonly serviceName?: string;
  /** Where agents are found after a restart; also enables validation of submitted results. */
  readonly agentRegistry?: AgentRegistryLike;
  readonly usageStore?: UsageStore;
  /** Fire first, for every agent and sub-agent this executor drives. */
  readonly hooks?: AgentHooks;
  /** Limits of submissions: made by `createSubmitToolResultSchema`. */
  readonly submitToolResultSchema?: SubmitToolResultSchema;
  /**
   * Text of what the model is told when a call has no result of its own, by code, for other languages. Default: English,
   * also for a code that is handed back as it came.
   */
  readonly describeError?: (code: string) => string;
  readonly limits?: Partial<EngineLimits>;
  readonly clock?: Clock;
  readonly newId?: () => string;
}

/** What every executor works with. */
export interface ExecutorParts extends ExecutorOptions {
  readonly stateStore: StateStore;
  readonly streamManager: StreamManager;
  /** Left out where runs take place in other processes. */
  readonly llmAdapter?: LLMAdapter;
}

const EXECUTOR_PARTS: KnownKeys<ExecutorParts> = {
  stateStore: true,
  streamManager: true,
  llmAdapter: true,
  logger: true,
  serviceName: true,
  agentRegistry: true,
  usageStore: true,
  hooks: true,
  submitToolResultSchema: true,
  describeError: true,
  limits: true,
  clock: true,
  newId: true,
};

/** Other names for these options, for the suggestion in the error. */
const EXECUTOR_WORDS: OtherNames = {
  model: 'llmAdapter',
  llm: 'llmAdapter',
  adapter: 'llmAdapter',
  store: 'stateStore',
  streams: 'streamManager',
  stream: 'streamManager',
  agents: 'agentRegistry',
  registry: 'agentRegistry',
};

/** Besides the stores, `openSqlite` and its like return these: `{ ...openSqlite(path), llmAdapter }` is fine. */
const OPENED_WITH_STORES = { close: true, lockManager: true, migrations: true };

/** Refuses what the executor `of` does not know. `own`: the options that it has besides those of every executor. */
export function checkExecutorOptions<Config extends ExecutorParts>(
  of: string,
  config: Config,
  own: KnownKeys<Omit<Config, keyof ExecutorParts>>,
): void {
  const given = Object.entries(config).filter(([key]) => !Object.hasOwn(OPENED_WITH_STORES, key));
  const known = { ...EXECUTOR_PARTS, ...own };
  refuseUnknownOptions(of, Object.fromEntries(given), { of, known, otherNames: EXECUTOR_WORDS });
}

/** Where a host or a test replaces parts of the runtime. Nothing here changes what an agent does. */
export interface OperationSeams {
  /** Sessions that live in different databases. Default: all of a tree in the state store. */
  readonly databases?: Databases;
  readonly wrapOperations?: (operations: Operations) => Operations;
}

/** Of a host that drives runs in its own process. */
export interface HostSeams extends OperationSeams {
  /** Runs the loop over its host. Default: `runSession`. */
  readonly runLoop?: typeof runSession;
  /** False: operations behave as if each ran in a process of its own. */
  readonly shareMemory?: boolean;
  /** Attempts at an operation that throws. */
  readonly attempts?: number;
}

/** Of a host whose engine performs the operations. */
export interface EngineSeams extends OperationSeams {
  /** Agents and hooks of single calls, shared by an executor and the operations where one process has both. */
  readonly directory?: AgentDirectory;
}
