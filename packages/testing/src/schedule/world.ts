import type {
  AgentConfig,
  AgentExecutor,
  Clock,
  Databases,
  EngineLimits,
  FullStreamManager,
  LLMAdapter,
  SessionStore,
  StateStore,
} from '@helix-agents/core';

/** Where a schedule takes place. Handed in by whoever runs it. */
export interface ScheduleWorld {
  readonly name: string;
  /** `apart`: sessions of a tree live in different databases. */
  readonly databases: 'one' | 'apart';
  open(parts: WorldParts): OpenWorld | Promise<OpenWorld>;
}

export interface WorldParts {
  /** The simulation's time. */
  readonly now: () => number;
  readonly seed: number;
  /** To be put around every session store: what reaches it is logged. */
  readonly watch: (store: SessionStore) => SessionStore;
}

/** Fresh stores, and executors over them. */
export interface OpenWorld {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  /** Where sessions live apart. */
  readonly databases?: Databases;
  /** One process: an executor over stores that the schedule has put itself in front of. */
  start(parts: ProcessParts): ScheduleExecutor;
  close(): void | Promise<void>;
}

/** What an executor is made of. */
export interface ProcessParts {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  readonly llmAdapter: LLMAdapter;
  readonly databases?: Databases;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly leaseMs: number;
  readonly limits: Partial<EngineLimits>;
  readonly attempts: number;
  readonly agentRegistry: { readonly [name: string]: AgentConfig };
}

export type ScheduleExecutor = Pick<
  AgentExecutor,
  'execute' | 'resume' | 'retry' | 'interrupt' | 'abort' | 'getHandle'
> &
  Required<Pick<AgentExecutor, 'submitToolResult'>> & {
    sweep(): Promise<unknown>;
    shutdown(options: { readonly graceMs: number }): Promise<void>;
  };

export interface OneDatabaseOptions {
  readonly name: string;
  /** Stores without rows. */
  open(parts: Pick<WorldParts, 'now'>): SharedStores | Promise<SharedStores>;
  readonly start: OpenWorld['start'];
}

type SharedStores = Pick<OpenWorld, 'stateStore' | 'streamManager' | 'close'>;

/** A world in which all sessions share the stores. */
export function oneDatabase({ name, start, ...options }: OneDatabaseOptions): ScheduleWorld {
  return {
    name,
    databases: 'one',
    async open({ now, watch }) {
      const { stateStore, streamManager, close } = await options.open({ now });
      const { sessions, index } = stateStore;
      return { stateStore: { sessions: watch(sessions), index }, streamManager, start, close };
    },
  };
}
