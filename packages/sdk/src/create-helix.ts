import { setTimeout as delay } from 'node:timers/promises';
import {
  AgentRegistry,
  HelixError,
  type AgentConfig,
  type AgentExecutionHandle,
  type AgentInput,
  type AgentRegistryLike,
  type ExecuteOptions,
  type InferAgentOutput,
  type LLMAdapter,
  type ResumeOptions,
  type StateStore,
  type StreamManager,
  type SubmitOptions,
  type SubmitOutcome,
  type SubmitToolResultInput,
  type UsageStore,
} from '@helix-agents/core';
import { checkEvery } from '@helix-agents/core/host';
import { JSAgentExecutor, type JSAgentExecutorOptions } from '@helix-agents/runtime-js';
import { openSqlite } from '@helix-agents/store-sqlite';
import { onShutdownSignal } from './shutdown-signal.ts';

const DEFAULT_DATABASE = 'helix.db';
const DEFAULT_RECOVER_EVERY_MS = 30_000;
const DEFAULT_GRACE_MS = 5_000;

/** Where everything durable is kept. What `openSqlite` returns is one. */
export interface HelixStores {
  readonly stateStore: StateStore;
  readonly streamManager: StreamManager;
  readonly usageStore?: UsageStore;
  /** Called last by `helix.close()`. */
  readonly close?: () => void | Promise<void>;
}

/** Also takes every option of `JSAgentExecutor`, such as `logger`, `hooks` and `leaseMs`. */
export interface HelixOptions extends Omit<
  JSAgentExecutorOptions,
  'agentRegistry' | 'usageStore' | 'seams'
> {
  readonly model: LLMAdapter;
  /** Path of an SQLite file (default `helix.db` in the working directory), `:memory:`, or stores of your own. */
  readonly database?: string | HelixStores;
  /** Agents this process can go on with after a restart. Without them it knows those handed to `run`. */
  readonly agents?: readonly AgentConfig[] | AgentRegistryLike;
  /**
   * How often this process looks for runs whose process died, and for deadlines that passed; first of all when it
   * starts. 30,000 by default. False: never by itself, only when `executor.sweep()` is called.
   */
  readonly recoverEveryMs?: number | false;
  /**
   * Each such look also resumes the sessions whose calls are all answered or expired. False by default: whoever submits an
   * answer resumes.
   */
  readonly autoResume?: boolean;
  /** Close on SIGTERM and SIGINT, then end the process as the signal would have. False by default. */
  readonly handleSignals?: boolean;
  /** How long `close()` lets running tools and model calls go on before it cuts them; 5,000 by default. */
  readonly shutdownGraceMs?: number;
}

export interface Helix {
  /** Everything else: retry, interrupt, abort, listing, sweep. */
  readonly executor: JSAgentExecutor;
  readonly stores: HelixStores;
  /** Starts a session, or the next turn of one. The handle has the stream and the result. */
  run<Agent extends AgentConfig>(
    agent: Agent,
    input: AgentInput,
    options?: ExecuteOptions,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
  /** Stores a person's answer. Runs nothing: call `resume` after it, in this process or any other. */
  submitToolResult(
    submission: SubmitToolResultInput,
    options?: SubmitOptions,
  ): Promise<SubmitOutcome>;
  /** Goes on with a session that was suspended or interrupted, or whose process died. */
  resume<Agent extends AgentConfig>(
    agent: Agent,
    sessionId: string,
    options?: ResumeOptions,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
  resume(sessionId: string, options?: ResumeOptions): Promise<AgentExecutionHandle>;
  /** Gives running sessions back so that another process goes on with them at once; closes the stores last. */
  close(): Promise<void>;
}

/**
 * Agents in this process, everything durable in one SQLite file. Runs of processes that died are taken over in the
 * background.
 *
 * @example
 * const helix = createHelix({ model, agents: [assistant] });
 * const handle = await helix.run(assistant, 'Hello');
 * const result = await handle.result();
 */
export function createHelix(options: HelixOptions): Helix {
  const { model, database = DEFAULT_DATABASE, agents, handleSignals, ...others } = options;
  const {
    recoverEveryMs = DEFAULT_RECOVER_EVERY_MS,
    autoResume = false,
    shutdownGraceMs: graceMs = DEFAULT_GRACE_MS,
    ...settings
  } = others;
  if (recoverEveryMs !== false) checkEvery('recoverEveryMs', recoverEveryMs);
  const stores: HelixStores = typeof database === 'string' ? openSqlite(database) : database;
  const { stateStore, streamManager, usageStore } = stores;
  const executor = new JSAgentExecutor({
    ...settings,
    stateStore,
    streamManager,
    llmAdapter: model,
    ...(usageStore && { usageStore }),
    ...(agents && { agentRegistry: isList(agents) ? byName(agents) : agents }),
  });
  const recovery =
    recoverEveryMs === false ? null : startRecovery(executor, recoverEveryMs, autoResume);
  const starts = new Starts();
  const shutDown = async (): Promise<void> => {
    ignoreSignals();
    const lastStarts = Promise.all([recovery?.stop(), starts.close()]);
    await executor.shutdown({ graceMs });
    // What was just being started is given back too.
    await Promise.race([lastStarts, delay(graceMs, undefined, { ref: false })]);
    await executor.shutdown({ graceMs });
    await stores.close?.();
  };
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= shutDown());
  const ignoreSignals = handleSignals ? onShutdownSignal(close) : (): void => {};

  return {
    executor,
    stores,
    run: (agent, input, how) => starts.add(() => executor.execute(agent, input, how)),
    submitToolResult: (submission, by) => executor.submitToolResult(submission, by),
    resume: (
      target: AgentConfig | string,
      second?: string | ResumeOptions,
      third?: ResumeOptions,
    ) =>
      starts.add(() => executor.resume(target, second, third)) as Promise<
        AgentExecutionHandle<never>
      >,
    close,
  };
}

/** The first look is taken before anything else can run; the rest happens in the background. */
function startRecovery(
  executor: JSAgentExecutor,
  everyMs: number,
  autoResume: boolean,
): { stop(): Promise<void> } {
  let pass = executor.recover({ autoResume });
  const timer = setInterval(() => {
    pass = executor.recover({ autoResume });
  }, everyMs);
  timer.unref();
  return {
    stop() {
      clearInterval(timer);
      return pass;
    },
  };
}

/** Runs on their way to being started. After `close` there are none. */
class Starts {
  readonly #pending = new Set<Promise<unknown>>();
  #closed = false;

  async add<Handle>(start: () => Promise<Handle>): Promise<Handle> {
    if (this.#closed) {
      throw new HelixError({
        code: 'run_handed_over',
        message: 'This Helix was closed and starts no runs; create a new one.',
      });
    }
    const started = start();
    this.#pending.add(started);
    try {
      return await started;
    } finally {
      this.#pending.delete(started);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#pending);
  }
}

function isList(
  agents: readonly AgentConfig[] | AgentRegistryLike,
): agents is readonly AgentConfig[] {
  return Array.isArray(agents);
}

/** Refuses two different agents of one name. */
function byName(agents: readonly AgentConfig[]): AgentRegistry {
  const registry = new AgentRegistry();
  for (const agent of agents) registry.register(agent);
  return registry;
}
