import { setTimeout as delay } from 'node:timers/promises';
import {
  AgentRegistry,
  consoleLogger,
  DefinitionError,
  noopLogger,
  toLogger,
  type AgentConfig,
  type AgentExecutionHandle,
  type AgentRegistryLike,
  type Logger,
  type ResumeOptions,
} from '@helix-agents/core';
import { checkBag, checkEvery, refuseUnknownOptions } from '@helix-agents/core/host';
import { createStateStoreFacade } from '@helix-agents/core/state-store';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { openSqlite } from '@helix-agents/store-sqlite';
import { createAnswers } from './answers.ts';
import { chooseModel, type ChosenModel } from './choose-model.ts';
import type { Helix, HelixDatabase, HelixOptions, HelixStores } from './helix.ts';
import { namedCall, namedNow } from './named-call.ts';
import { HELIX_OPTIONS } from './option-names.ts';
import { onShutdownSignal } from './shutdown-signal.ts';
import { Starts } from './starts.ts';

const DEFAULT_DATABASE = 'helix.db';
const DEFAULT_RECOVER_EVERY_MS = 30_000;
const DEFAULT_GRACE_MS = 5_000;

/** Problems are seen also by whoever has not thought of a logger yet. */
const PROBLEMS_ONLY: Logger = {
  ...noopLogger,
  warn: (message, data) => consoleLogger.warn(message, data),
  error: (message, data) => consoleLogger.error(message, data),
};

/**
 * Agents in this process, everything durable in one SQLite file. Runs of processes that died are taken over in the
 * background.
 *
 * @example
 * const helix = createHelix({ model: openai('gpt-5'), agents: [assistant] });
 * const handle = await helix.run(assistant, 'Hello');
 * const result = await handle.result();
 */
export function createHelix(options: HelixOptions = {}): Helix {
  refuseUnknownOptions('createHelix', options, HELIX_OPTIONS);
  const { model, database, agents, handleSignals, logger = PROBLEMS_ONLY, ...others } = options;
  const {
    recoverEveryMs = DEFAULT_RECOVER_EVERY_MS,
    autoResume = false,
    shutdownGraceMs: graceMs = DEFAULT_GRACE_MS,
    ...settings
  } = others;
  toLogger(logger);
  if (recoverEveryMs !== false) checkEvery('recoverEveryMs', recoverEveryMs);
  const models = chooseModel(model, logger);
  for (const agent of Array.isArray(agents) ? agents : []) models.requireFor(agent);
  const agentRegistry = agents && (isList(agents) ? byName(agents) : agents);
  const stores = openStores(database);
  const { stateStore, streamManager, usageStore } = stores;
  const executor = new JSAgentExecutor({
    ...settings,
    logger,
    stateStore,
    streamManager,
    llmAdapter: models.adapter,
    ...(usageStore && { usageStore }),
    ...(agentRegistry && { agentRegistry }),
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
    ...runsOf(executor, starts, models),
    ...personsOf(executor),
    sessions: (filter) =>
      namedCall('helix.sessions', async () => {
        checkBag('listSessions', filter, 'helix.sessions');
        return executor.listSessions(filter ?? {});
      }),
    chat: (agent) => {
      namedNow('helix.chat', () => models.requireFor(agent));
      return { agent, executor, stateStore, streamManager, logger };
    },
    close,
  };
}

function runsOf(
  executor: JSAgentExecutor,
  starts: Starts,
  models: ChosenModel,
): Pick<Helix, 'run' | 'resume' | 'retry' | 'interrupt' | 'abort'> {
  type Started = Promise<AgentExecutionHandle<never>>;
  const start = (name: string, begin: () => Promise<AgentExecutionHandle>): Started =>
    namedCall(name, () => starts.add(begin)) as Started;
  const known = (target: AgentConfig | string): void => {
    const isAgent = typeof target === 'object' && target !== null && !('sessionId' in target);
    if (isAgent) models.requireFor(target);
  };
  return {
    run: (agent, input, how) =>
      start('helix.run', async () => {
        models.requireFor(agent);
        checkBag('execute', how, 'helix.run');
        return executor.execute(agent, input, how ?? {});
      }),
    resume: (
      target: AgentConfig | string,
      second?: string | ResumeOptions,
      third?: ResumeOptions,
    ) =>
      start('helix.resume', async () => {
        known(target);
        return executor.resume(target, second, third);
      }),
    retry: (target: AgentConfig | string, sessionId?: string) =>
      start('helix.retry', async () => {
        known(target);
        return executor.retry(target, sessionId);
      }),
    interrupt: (sessionId, reason) =>
      namedCall('helix.interrupt', () => executor.interrupt(sessionId, reason)),
    abort: (sessionId, reason) => namedCall('helix.abort', () => executor.abort(sessionId, reason)),
  };
}

type PersonCalls = 'inbox' | 'approve' | 'deny' | 'answer' | 'fail' | 'submitToolResult';

/** What people do. */
function personsOf(executor: JSAgentExecutor): Pick<Helix, PersonCalls> {
  const answers = createAnswers((submission, by) => executor.submitToolResult(submission, by));
  return {
    inbox: (filter) =>
      namedCall('helix.inbox', async () => {
        checkBag('listOpenCalls', filter, 'helix.inbox');
        return executor.listOpenCalls(filter ?? {});
      }),
    approve: (...given) => namedCall('helix.approve', () => answers.approve(...given)),
    deny: (...given) => namedCall('helix.deny', () => answers.deny(...given)),
    answer: (...given) => namedCall('helix.answer', () => answers.answer(...given)),
    fail: (...given) => namedCall('helix.fail', () => answers.fail(...given)),
    submitToolResult: (...given) =>
      namedCall('helix.submitToolResult', () => executor.submitToolResult(...given)),
  };
}

/** The long surface of a state store is there whatever was handed in. */
function openStores(database: string | HelixDatabase = DEFAULT_DATABASE): HelixStores {
  if (typeof database === 'string') return openSqlite(database);
  const { stateStore, streamManager } = database ?? {};
  if (!stateStore || !streamManager) {
    throw new DefinitionError(
      'createHelix: `database` must be the path of an SQLite file, or an object with a `stateStore` and a `streamManager`, as openSqlite, openPostgres and openRedis return it.',
    );
  }
  if (isWhole(stateStore)) return { ...database, stateStore };
  return { ...database, stateStore: createStateStoreFacade(stateStore) };
}

function isWhole(store: HelixDatabase['stateStore']): store is HelixStores['stateStore'] {
  return 'loadState' in store;
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
