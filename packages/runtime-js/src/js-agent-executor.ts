import {
  InvalidRequestError,
  type LLMAdapter,
  type StateStore,
  type StreamManager,
} from '@helix-agents/core';
import {
  checkExecutorOptions,
  checkNode,
  SessionExecutor,
  StepMemory,
  LocalRuns,
} from '@helix-agents/core/host';
import {
  DEFAULT_LEASE_MS,
  type JSAgentExecutorConfig,
  type JSAgentExecutorOptions,
} from './options.ts';

/**
 * Runs agents in this process. Everything durable is in the stores: another executor over the same stores resumes,
 * interrupts, aborts and takes over what this one began.
 *
 * @example
 * const { stateStore, streamManager } = openSqlite('agents.db');
 * const executor = new JSAgentExecutor(stateStore, streamManager, model);
 * const handle = await executor.execute(agent, 'Hello');
 * const result = await handle.result();
 */
export class JSAgentExecutor extends SessionExecutor<LocalRuns> {
  constructor(config: JSAgentExecutorConfig);
  constructor(
    stateStore: StateStore,
    streamManager: StreamManager,
    llmAdapter: LLMAdapter,
    options?: JSAgentExecutorOptions,
  );
  constructor(
    first: StateStore | JSAgentExecutorConfig,
    streamManager?: StreamManager,
    llmAdapter?: LLMAdapter,
    options: JSAgentExecutorOptions = {},
  ) {
    checkNode();
    const config: JSAgentExecutorConfig =
      'stateStore' in given(first)
        ? (first as JSAgentExecutorConfig)
        : {
            ...options,
            stateStore: first as StateStore,
            streamManager: given(streamManager),
            llmAdapter: given(llmAdapter),
          };
    checkExecutorOptions('JSAgentExecutor', config, { leaseMs: true, seams: true });
    const { seams = {}, leaseMs = DEFAULT_LEASE_MS } = config;
    super(config, {
      hostKind: 'js',
      leaseMs,
      databases: seams.databases,
      memory: seams.shareMemory === false ? null : new StepMemory(),
      createRuns: (ctx) => new LocalRuns(ctx, seams),
    });
  }

  /**
   * Gives every running session back in good order, so that another process goes on with it at once, and ends what
   * `supervise` began.
   */
  async shutdown(options: { readonly graceMs?: number } = {}): Promise<void> {
    const { graceMs = 5_000 } = options;
    const stopped = this.stopRecovery(graceMs);
    await this.runs.shutdown(graceMs);
    await stopped;
    // What a sweep was just taking up is given back too.
    await this.runs.shutdown(graceMs);
  }
}

function given<T>(value: T | undefined): T & object {
  if (typeof value !== 'object' || value === null) {
    throw new InvalidRequestError([
      { path: 'constructor', message: 'needs a state store, a stream manager and a model adapter' },
    ]);
  }
  return value;
}
