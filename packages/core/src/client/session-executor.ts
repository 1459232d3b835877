import {
  submitSchemaOf,
  type SubmitToolResultInput,
  type SubmitToolResultSchema,
} from '../define/submit-schema.ts';
import type { AgentConfig, InferAgentOutput } from '../define/types.ts';
import { LOOP_VERSION, type LoopRun } from '../loop/host.ts';
import type { AbortResult } from '../engine/human/abort.ts';
import type { EngineContext } from '../engine/context.ts';
import type { InterruptResult } from '../engine/human/interrupt.ts';
import type { EndedRun } from '../engine/memory/step-memory.ts';
import type { SubmitOutcome } from '../engine/human/submit.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';
import { composeHooks } from '../engine/hooks/fire-hooks.ts';
import type { OpenCallRow, RunRow, SessionRow } from '../store/rows.ts';
import type { OpenCallFilter, Page, SessionFilter, SessionIndex } from '../store/session-store.ts';
import { AgentDirectory } from './agent-directory.ts';
import { checkOpenCallFilter, checkSessionFilter } from './check-filters.ts';
import { createEngineContext, type HostTraits } from './engine-context.ts';
import { createHandle, type HandleParts } from './handle.ts';
import type { ExecutorParts } from './options.ts';
import {
  Retention,
  type PruneOptions,
  type PruneSummary,
  type TrimOptions,
  type TrimSummary,
} from './retention.ts';
import {
  Recovery,
  type RecoverOptions,
  type SuperviseOptions,
  type SweepSummary,
} from './recovery.ts';
import { resumeArguments, type ResumeTarget } from './resume-arguments.ts';
import { SessionClient, type RunStarter } from './session-client.ts';
import type {
  AgentExecutionHandle,
  AgentExecutor,
  AgentInput,
  CanResume,
  ExecuteOptions,
  ResumeOptions,
  SubmitOptions,
} from './types.ts';

/** The runs of a host, as an executor sees them. */
export interface HostedRuns extends RunStarter {
  /**
   * Resolves when this process no longer drives the run, to the run as its last commit here left it; null when it does
   * not. Asked when a handle is made.
   */
  local(run: LoopRun): Promise<EndedRun | null> | null;
  /** Where runs take place elsewhere: resolves when the run has ended. Asked when somebody waits for its result. */
  untilEnd?(run: LoopRun): Promise<void>;
  /** Makes the run of that session look at the store now, if the host can reach it. */
  notify(sessionId: string): void;
  /** Whether this process drives that run of that session right now; left out where an engine does. */
  isDriving?: EngineContext['isDriving'];
}

export interface ExecutorHost<Runs extends HostedRuns> extends Omit<HostTraits, 'isDriving'> {
  createRuns(ctx: EngineContext, directory: AgentDirectory): Runs;
  /** Hooks of one `execute` call live in its process; true where runs take place elsewhere. */
  readonly runsElsewhere?: boolean;
  /** Shared with what runs operations in this process. */
  readonly directory?: AgentDirectory | undefined;
}

/**
 * Every executor: the commands over the stores. A runtime extends it by how runs start and stay alive, and by nothing
 * else.
 */
export class SessionExecutor<Runs extends HostedRuns = HostedRuns> implements AgentExecutor {
  /** For the runtime that extends this class. */
  protected readonly runs: Runs;
  readonly #ctx: EngineContext;
  readonly #index: SessionIndex;
  readonly #directory: AgentDirectory;
  readonly #client: SessionClient;
  readonly #recovery: Recovery;
  readonly #retention: Retention;
  readonly #handleParts: HandleParts;
  readonly #submitSchema: SubmitToolResultSchema | undefined;
  readonly #runsElsewhere: boolean;
  #hasWarned = false;

  protected constructor(parts: ExecutorParts, host: ExecutorHost<Runs>) {
    this.#submitSchema = parts.submitToolResultSchema;
    this.#index = parts.stateStore.index;
    this.#runsElsewhere = host.runsElsewhere ?? false;
    this.#directory =
      host.directory ??
      new AgentDirectory(parts.agentRegistry, { keepsRuns: !this.#runsElsewhere });
    this.#ctx = createEngineContext(parts, this.#directory, {
      ...host,
      isDriving: (sessionId, epoch) => this.runs.isDriving?.(sessionId, epoch) ?? false,
    });
    this.runs = host.createRuns(this.#ctx, this.#directory);
    this.#client = new SessionClient(this.#ctx, this.runs);
    this.#recovery = new Recovery(this.#ctx, this.#index, this.runs, async (sessionId) => {
      await this.#client.resume(sessionId, {});
    });
    this.#retention = new Retention(this.#ctx, this.#index, parts.streamManager);
    this.#handleParts = {
      ctx: this.#ctx,
      client: this.#client,
      stops: this,
      streams: parts.streamManager,
      usage: parts.usageStore,
      local: (run) => this.runs.local(run),
      untilEnd: (run) => this.runs.untilEnd?.(run),
    };
  }

  async execute<Agent extends AgentConfig>(
    agent: Agent,
    input: AgentInput,
    options: ExecuteOptions = {},
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>> {
    const hooks = [...composeHooks(options.hooks), ...(options.hookManager?.hooks ?? [])];
    if (hooks.length > 0) this.#warnOfHooks();
    const { durability } = options;
    return this.#handle(
      await this.#client.execute(agent, input, options, { durability, hooks }),
      agent,
    );
  }

  #warnOfHooks(): void {
    if (!this.#runsElsewhere || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#ctx.logger.warn('execute.hooks_stay_here', {
      message:
        'Hooks handed to execute() fire in this process only. Put them on the agent or the worker to have them fire wherever it runs.',
    });
  }

  async resume<Agent extends AgentConfig>(
    agent: Agent,
    sessionId: string,
    options?: ResumeOptions,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
  async resume(
    target: ResumeTarget | AgentConfig,
    second?: string | ResumeOptions,
    third?: ResumeOptions,
  ): Promise<AgentExecutionHandle>;
  async resume(
    target: ResumeTarget | AgentConfig,
    second?: string | ResumeOptions,
    third?: ResumeOptions,
  ): Promise<AgentExecutionHandle> {
    const { sessionId, agent, options } = resumeArguments(target, second, third);
    return this.#handle(await this.#client.resume(sessionId, options, agent), agent);
  }

  /** Goes on with a failed session, in a new run, from the last committed step. */
  async retry<Agent extends AgentConfig>(
    agent: Agent,
    sessionId: string,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
  async retry(
    target: string | AgentConfig | { readonly sessionId: string },
    second?: string,
  ): Promise<AgentExecutionHandle>;
  async retry(
    target: string | AgentConfig | { readonly sessionId: string },
    second?: string,
  ): Promise<AgentExecutionHandle> {
    const { sessionId, agent } = resumeArguments(target, second);
    return this.#handle(await this.#client.retry(sessionId, agent), agent);
  }

  /** Stores a person's answer. Never runs the agent: call `resume` after it, from any process. */
  async submitToolResult(
    submission: SubmitToolResultInput,
    options: SubmitOptions = {},
  ): Promise<SubmitOutcome> {
    const schema = this.#submitSchema ?? submitSchemaOf(options.maxResultBytes);
    const parsed = schema.safeParse(submission);
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
    this.runs.notify(sessionId);
    return result;
  }

  async abort(sessionId: string, reason?: string): Promise<AbortResult> {
    const result = await this.#client.abort(sessionId, reason);
    this.runs.notify(sessionId);
    return result;
  }

  async getHandle<Agent extends AgentConfig>(
    agent: Agent,
    sessionId: string,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>> | null> {
    const session = await this.#client.attach(sessionId);
    if (!session) return null;
    if (session.agentType === agent.name) this.#directory.see(agent);
    return this.#handle({ ...session, loopVersion: LOOP_VERSION }, agent);
  }

  /** Whether `resume` with the same arguments would be refused, and why. Remembers nothing. */
  async canResume(target: string | AgentConfig, second?: string): Promise<CanResume> {
    const { sessionId, agent } = resumeArguments(target, second);
    return this.#client.canResume(sessionId, agent);
  }

  async listSessions(filter?: SessionFilter): Promise<Page<SessionRow>> {
    checkSessionFilter(filter);
    return this.#index.listSessions(filter);
  }

  async listOpenCalls(filter?: OpenCallFilter): Promise<Page<OpenCallRow>> {
    checkOpenCallFilter(filter);
    return this.#index.listOpenCalls(filter);
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

  /** Sweeps again and again until the returned function is called, or the executor is shut down. */
  supervise(options: SuperviseOptions = {}): () => Promise<void> {
    return this.#recovery.supervise(options);
  }

  /** For the runtime that extends this class: ends what `supervise` and `recover` began. */
  protected stopRecovery(withinMs: number): Promise<void> {
    return this.#recovery.stop(withinMs);
  }

  /** Takes over the runs whose owners are dead right now, in the background; at most one pass at a time. */
  recover(options: RecoverOptions = {}): Promise<void> {
    return this.#recovery.recover(options);
  }

  /**
   * Deletes sessions that have ended and did not change for a while, each with all below it, in one write that a new
   * turn makes miss. Sessions that run or wait for a person are never touched.
   */
  pruneSessions(options: PruneOptions): Promise<PruneSummary> {
    return this.#retention.pruneSessions(options);
  }

  /** Drops the chunks of all but the last run from streams of sessions that rest and did not change for a while. */
  trimStreams(options: TrimOptions): Promise<TrimSummary> {
    return this.#retention.trimStreams(options);
  }

  /** Typed as the agent's `outputSchema` says. */
  #handle<Output>(run: LoopRun, agent?: AgentConfig): AgentExecutionHandle<Output> {
    return createHandle(this.#handleParts, run, agent) as AgentExecutionHandle<Output>;
  }
}
