import {
  AgentDirectory,
  composeHooks,
  createAnnouncer,
  createHandle,
  DEFAULT_LIMITS,
  humanizeClientToolError,
  InvalidRequestError,
  TranscriptCache,
  noopLogger,
  SessionClient,
  StepMemory,
  streamStatusFor,
  SubmitToolResultSchema,
  type AbortResult,
  type AgentConfig,
  type AgentExecutionHandle,
  type AgentExecutor,
  type AgentInput,
  type CanResume,
  type EngineContext,
  type ExecuteOptions,
  type InterruptResult,
  type LLMAdapter,
  type LoopRun,
  type OpenCallFilter,
  type OpenCallRow,
  type Page,
  type ResumeOptions,
  type RunRow,
  type SessionFilter,
  type SessionRow,
  type StateStore,
  type StreamManager,
  type StreamStatus,
  type SubmitOutcome,
  type SubmitToolResult,
  type UsageStore,
} from '@helix-agents/core';
import { LocalRuns } from './local-runs.ts';
import {
  DEFAULT_LEASE_MS,
  type JSAgentExecutorConfig,
  type JSAgentExecutorOptions,
} from './options.ts';
import { Recovery, type SuperviseOptions, type SweepSummary } from './recovery.ts';
import { systemClock } from './system-clock.ts';

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
export class JSAgentExecutor implements AgentExecutor {
  readonly #ctx: EngineContext;
  readonly #store: StateStore;
  readonly #streams: StreamManager;
  readonly #usage: UsageStore | undefined;
  readonly #directory: AgentDirectory;
  readonly #runs: LocalRuns;
  readonly #client: SessionClient;
  readonly #recovery: Recovery;
  readonly #submitSchema: typeof SubmitToolResultSchema;

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
    const config: JSAgentExecutorConfig =
      'stateStore' in first
        ? first
        : {
            ...options,
            stateStore: first,
            streamManager: given(streamManager),
            llmAdapter: given(llmAdapter),
          };
    const logger = config.logger ?? noopLogger;
    const clock = config.clock ?? systemClock;
    this.#submitSchema = config.submitToolResultSchema ?? SubmitToolResultSchema;
    this.#store = config.stateStore;
    this.#streams = config.streamManager;
    this.#usage = config.usageStore;
    this.#directory = new AgentDirectory(config.agentRegistry);
    const newId = config.newId ?? (() => crypto.randomUUID());
    const databases = config.seams?.databases ?? { of: () => config.stateStore.sessions };
    const statusFor = async (rootId: string): Promise<StreamStatus | null> => {
      const root = { rootId, sessionId: rootId };
      const session = await databases.of(root).readSession(root);
      return session && streamStatusFor(session);
    };
    this.#ctx = {
      databases,
      announcer: createAnnouncer(config.streamManager, logger, clock, statusFor),
      model: config.llmAdapter,
      clock,
      newId,
      identity: { hostKind: 'js', owner: newId(), leaseMs: config.leaseMs ?? DEFAULT_LEASE_MS },
      logger,
      limits: { ...DEFAULT_LIMITS, ...config.limits },
      describeError: config.describeError ?? humanizeClientToolError,
      transcripts: new TranscriptCache(),
      memory: config.seams?.shareMemory === false ? null : new StepMemory(),
      isDriving: (sessionId, epoch) => this.#runs.isDriving(sessionId, epoch),
      findAgent: (session) => this.#directory.find(session),
      hooksFor: (session) => [
        ...composeHooks(config.hooks, this.#directory.find(session)?.hooks),
        ...this.#directory.hooksOf(session.sessionId),
      ],
    };
    this.#runs = new LocalRuns(this.#ctx, config.seams ?? {}, (sessionId) =>
      this.#directory.forget(sessionId),
    );
    this.#client = new SessionClient(this.#ctx, this.#runs);
    this.#recovery = new Recovery(this.#ctx, this.#store.index, this.#runs);
  }

  async execute(
    agent: AgentConfig,
    input: AgentInput,
    options: ExecuteOptions = {},
  ): Promise<AgentExecutionHandle> {
    this.#directory.remember(agent);
    const sessionId = options.sessionId ?? this.#ctx.newId();
    const hooks = [...composeHooks(options.hooks), ...(options.hookManager?.hooks ?? [])];
    const overridden = options.durability !== undefined || hooks.length > 0;
    const started = (): void => {
      if (overridden)
        this.#directory.override(sessionId, { durability: options.durability, hooks });
    };
    return this.#handle(
      await this.#client.execute(agent, input, { ...options, sessionId }, started),
    );
  }

  async resume(
    target: string | AgentConfig | ({ readonly sessionId: string } & ResumeOptions),
    second?: string | ResumeOptions,
    third?: ResumeOptions,
  ): Promise<AgentExecutionHandle> {
    const { sessionId, agent, options } = resumeArguments(target, second, third);
    if (agent) this.#directory.remember(agent);
    return this.#handle(await this.#client.resume(sessionId, options));
  }

  /** Goes on with a failed session, in a new run, from the last committed step. */
  async retry(
    target: string | AgentConfig | { readonly sessionId: string },
    second?: string,
  ): Promise<AgentExecutionHandle> {
    const { sessionId, agent } = resumeArguments(target, second);
    if (agent) this.#directory.remember(agent);
    return this.#handle(await this.#client.retry(sessionId));
  }

  /** Stores a person's answer. Never runs the agent: call `resume` after it, from any process. */
  async submitToolResult(
    submission: SubmitToolResult,
    options: { answeredBy?: string } = {},
  ): Promise<SubmitOutcome> {
    const parsed = this.#submitSchema.safeParse(submission);
    if (!parsed.success) {
      throw new InvalidRequestError(
        parsed.error.issues.map((issue) => ({
          path: issue.path.join('.'),
          message: issue.message,
        })),
      );
    }
    return this.#client.submit(parsed.data, options.answeredBy);
  }

  async branchSession(
    sessionId: string,
    options: { readonly checkpointId?: string; readonly sessionId?: string } = {},
  ): Promise<{ readonly sessionId: string }> {
    return this.#client.branch(sessionId, options);
  }

  async cancelOpenCall(
    call: { readonly sessionId: string; readonly toolCallId: string },
    options: { answeredBy?: string } = {},
  ): Promise<SubmitOutcome> {
    return this.#client.cancel(call, options.answeredBy);
  }

  async interrupt(sessionId: string, reason?: string): Promise<InterruptResult> {
    const result = await this.#client.interrupt(sessionId, reason);
    this.#runs.notify(sessionId);
    return result;
  }

  async abort(sessionId: string, reason?: string): Promise<AbortResult> {
    const result = await this.#client.abort(sessionId, reason);
    this.#runs.notify(sessionId);
    return result;
  }

  async getHandle(agent: AgentConfig, sessionId: string): Promise<AgentExecutionHandle | null> {
    this.#directory.remember(agent);
    const session = await this.#client.attach(sessionId);
    return session && this.#handle({ ...session, loopVersion: 1 });
  }

  async canResume(agent: AgentConfig, sessionId: string): Promise<CanResume> {
    this.#directory.remember(agent);
    return this.#client.canResume(sessionId);
  }

  async listSessions(filter?: SessionFilter): Promise<Page<SessionRow>> {
    return this.#store.index.listSessions(filter);
  }

  async listOpenCalls(filter?: OpenCallFilter): Promise<Page<OpenCallRow>> {
    return this.#store.index.listOpenCalls(filter);
  }

  async listRuns(sessionId: string): Promise<{ readonly runs: readonly RunRow[] }> {
    const ref = { rootId: sessionId, sessionId };
    return { runs: await this.#ctx.databases.of(ref).readRuns(ref) };
  }

  async getCurrentRun(sessionId: string): Promise<RunRow | null> {
    const ref = { rootId: sessionId, sessionId };
    const [run] = await this.#ctx.databases.of(ref).readRuns(ref, { last: 1 });
    return run ?? null;
  }

  /**
   * One pass over what is due: deadlines expire, reminders fire, dead runs are taken over and driven in the background,
   * half-closed children are closed. Call it from a timer, as often as you like, in as many processes as you like.
   */
  async sweep(): Promise<SweepSummary> {
    return this.#recovery.sweep();
  }

  /** Sweeps again and again until the returned function is called. */
  supervise(options: SuperviseOptions = {}): () => Promise<void> {
    return this.#recovery.supervise(options, async (sessionId) => {
      await this.#client.resume(sessionId, {});
    });
  }

  /** Takes over the runs whose owners are dead right now, in the background; at most one pass at a time. */
  recover(): Promise<void> {
    return this.#recovery.recover();
  }

  /** Gives every running session back in good order, so that another process goes on with it at once. */
  async shutdown(options: { readonly graceMs?: number } = {}): Promise<void> {
    await this.#runs.shutdown(options.graceMs ?? 5_000);
  }

  #handle(run: LoopRun): AgentExecutionHandle {
    return createHandle(
      {
        ctx: this.#ctx,
        client: this.#client,
        streams: this.#streams,
        usage: this.#usage,
        local: (of) => this.#runs.local(of),
      },
      run,
    );
  }
}

function given<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new InvalidRequestError([
      { path: 'constructor', message: 'needs a state store, a stream manager and a model adapter' },
    ]);
  }
  return value;
}

function resumeArguments(
  target: string | AgentConfig | ({ readonly sessionId: string } & ResumeOptions),
  second?: string | ResumeOptions,
  third?: ResumeOptions,
): { sessionId: string; agent?: AgentConfig; options: ResumeOptions } {
  if (typeof target === 'string') {
    return { sessionId: target, options: typeof second === 'object' ? second : {} };
  }
  if ('sessionId' in target) return { sessionId: target.sessionId, options: target };
  if (typeof second !== 'string') {
    throw new InvalidRequestError([
      { path: 'sessionId', message: 'resume(agent, sessionId) needs the session id' },
    ]);
  }
  return { sessionId: second, agent: target, options: third ?? {} };
}
