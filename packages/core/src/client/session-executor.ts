import {
  submitSchemaOf,
  type SubmitToolResultInput,
  type SubmitToolResultSchema,
} from '../define/submit-schema.ts';
import { checkHooks } from '../define/check-hooks.ts';
import type { AgentConfig, InferAgentOutput } from '../define/types.ts';
import { loopRun } from '../engine/rows/loop-run.ts';
import { announceMissedEnd } from '../engine/announce/announce-end.ts';
import { passInterruptOn } from '../engine/children/pass-stop-on.ts';
import { readRoot } from '../engine/claim/claimable.ts';
import type { EngineContext } from '../engine/context.ts';
import type { AbortResult } from '../engine/human/abort.ts';
import { interruptSession, type InterruptResult } from '../engine/human/interrupt.ts';
import { cancelOpenCall, submitToolResult, type SubmitOutcome } from '../engine/human/submit.ts';
import { composeHooks } from '../engine/hooks/fire-hooks.ts';
import type { OpenCallRow, RunRow, SessionRow } from '../store/rows.ts';
import type { OpenCallFilter, Page, SessionFilter, SessionIndex } from '../store/session-store.ts';
import { AgentDirectory } from './agent-directory.ts';
import { branchFrom, type BranchOptions } from './branch.ts';
import { checkOpenCallFilter, checkSessionFilter } from './check-filters.ts';
import { abortRoot } from './abort-root.ts';
import { checkName } from './check-options.ts';
import { checkBag } from './option-bags.ts';
import { contextFor } from './context-for.ts';
import { createEngineContext } from './engine-context.ts';
import { ExecutorWarnings } from './executor-warnings.ts';
import { executeAgent } from './execute.ts';
import { createHandle, type HandleParts } from './handle.ts';
import type { ExecutorHost, HostedRuns } from './hosted-runs.ts';
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
import { parseSubmission } from './parse-submission.ts';
import { resumeArguments, type ResumeTarget } from './resume-arguments.ts';
import { canResume, resumeSession, retrySession } from './resume.ts';
import type { ClientParts, StartedRun } from './run-starter.ts';
import type {
  AbortOptions,
  AgentExecutionHandle,
  AgentExecutor,
  AgentInput,
  CancelOptions,
  CanResume,
  ExecuteOptions,
  InputOf,
  ResumeOptions,
  StopOptions,
  SubmitOptions,
} from './types.ts';
import { checkSessionId } from './user-messages.ts';
import { isRoot, rootRef } from '../store/session-place.ts';

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
  readonly #parts: ClientParts;
  readonly #recovery: Recovery;
  readonly #retention: Retention;
  readonly #handleParts: HandleParts;
  readonly #submitSchema: SubmitToolResultSchema | undefined;
  readonly #warnings: ExecutorWarnings;

  protected constructor(parts: ExecutorParts, host: ExecutorHost<Runs>) {
    this.#submitSchema = parts.submitToolResultSchema;
    this.#index = parts.stateStore.index;
    const runsElsewhere = host.runsElsewhere ?? false;
    this.#directory =
      host.directory ?? new AgentDirectory(parts.agentRegistry, { keepsRuns: !runsElsewhere });
    this.#ctx = createEngineContext(parts, this.#directory, {
      ...host,
      isDriving: (sessionId, epoch) => this.runs.isDriving(sessionId, epoch),
    });
    this.#warnings = new ExecutorWarnings(this.#ctx.logger, runsElsewhere);
    this.runs = host.createRuns(this.#ctx);
    this.#parts = { ctx: this.#ctx, starter: this.runs };
    this.#recovery = new Recovery(this.#ctx, this.#index, this.runs, async (sessionId) => {
      await resumeSession(this.#parts, sessionId, {});
    });
    this.#retention = new Retention(this.#ctx, this.#index, parts.streamManager);
    this.#handleParts = {
      ctx: this.#ctx,
      parts: this.#parts,
      stops: this,
      streams: parts.streamManager,
      usage: parts.usageStore,
      local: (run) => this.runs.local(run),
      untilEnd: (run) => this.runs.untilEnd(run),
    };
  }

  async execute<Agent extends AgentConfig>(
    agent: Agent,
    input: InputOf<Agent>,
    options: ExecuteOptions = {},
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>> {
    checkBag('execute', options);
    checkHooks('execute', options.hooks);
    const hooks = [...composeHooks(options.hooks), ...(options.hookManager?.hooks ?? [])];
    this.#warnings.ofRun(agent, hooks);
    const { durability } = options;
    const runAgent = { agent, isGiven: true, durability, hooks };
    const parts = { ...this.#parts, ctx: contextFor(this.#ctx, options) };
    return this.#handle(await executeAgent(parts, runAgent, input as AgentInput, options), agent);
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
    const parts = { ...this.#parts, ctx: contextFor(this.#ctx, options) };
    return this.#handle(await resumeSession(parts, sessionId, options, agent), agent);
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
    return this.#handle(await retrySession(this.#parts, sessionId, agent), agent);
  }

  /** Stores a person's answer. Never runs the agent: call `resume` after it, from any process. */
  async submitToolResult(
    submission: SubmitToolResultInput,
    options: SubmitOptions = {},
  ): Promise<SubmitOutcome> {
    const schema = this.#submitSchema ?? submitSchemaOf(options.maxResultBytes);
    const answer = parseSubmission(schema, submission);
    checkBag('submitToolResult', options);
    checkName('answeredBy', options.answeredBy);
    return submitToolResult(contextFor(this.#ctx, options), answer, options.answeredBy ?? null);
  }

  async branchSession(
    sessionId: string,
    options: BranchOptions = {},
  ): Promise<{ readonly sessionId: string }> {
    checkBag('branchSession', options);
    return branchFrom(this.#ctx, sessionId, options);
  }

  async cancelOpenCall(
    call: { readonly sessionId: string; readonly toolCallId: string },
    options: CancelOptions = {},
  ): Promise<SubmitOutcome> {
    checkBag('cancelOpenCall', options);
    checkName('answeredBy', options.answeredBy);
    return cancelOpenCall(contextFor(this.#ctx, options), call, options.answeredBy ?? null);
  }

  async interrupt(
    sessionId: string,
    reason?: string,
    options: StopOptions = {},
  ): Promise<InterruptResult> {
    checkSessionId(sessionId);
    checkBag('interrupt', options);
    const ctx = contextFor(this.#ctx, options);
    const root = await readRoot(ctx, sessionId);
    const result = await interruptSession(ctx, root, reason ?? null, options.runId);
    if (result.status === 'requested') await passInterruptOn(ctx, root);
    this.runs.notify(sessionId);
    return result;
  }

  async abort(
    sessionId: string,
    reason?: string,
    options: AbortOptions = {},
  ): Promise<AbortResult> {
    const result = await abortRoot(this.#ctx, sessionId, reason, options);
    this.runs.notify(sessionId);
    return result;
  }

  async getHandle<Agent extends AgentConfig>(
    agent: Agent,
    sessionId: string,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>> | null> {
    const ref = rootRef(sessionId);
    const session = await this.#ctx.databases.of(ref).readSession(ref);
    if (!session || !isRoot(session)) return null;
    // Its last owner may have died before announcing the end.
    await announceMissedEnd(this.#ctx, session);
    if (session.agentType === agent.name) this.#directory.remember(agent);
    return this.#handle({ run: loopRun(session) }, agent);
  }

  /** Whether `resume` with the same arguments would be refused, and why. Remembers nothing. */
  async canResume(target: string | AgentConfig, second?: string): Promise<CanResume> {
    const { sessionId, agent } = resumeArguments(target, second);
    return canResume(this.#parts, sessionId, agent);
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
    const ref = rootRef(sessionId);
    return { runs: await this.#ctx.databases.of(ref).readRuns(ref) };
  }

  async getCurrentRun(sessionId: string): Promise<RunRow | null> {
    const ref = rootRef(sessionId);
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
    checkBag('supervise', options);
    return this.#recovery.supervise(options);
  }

  /** For the runtime that extends this class: ends what `supervise` and `recover` began. */
  protected stopRecovery(withinMs: number): Promise<void> {
    return this.#recovery.stop(withinMs);
  }

  /** Takes over the runs whose owners are dead right now, in the background; at most one pass at a time. */
  recover(options: RecoverOptions = {}): Promise<void> {
    checkBag('recover', options);
    return this.#recovery.recover(options);
  }

  /**
   * Deletes sessions that have ended and did not change for a while, each with all below it, in one write that a new
   * turn makes miss. Sessions that run or wait for a person are never touched.
   */
  async pruneSessions(options: PruneOptions): Promise<PruneSummary> {
    checkBag('pruneSessions', options);
    return this.#retention.pruneSessions(options);
  }

  /** Drops the chunks of all but the last run from streams of sessions that rest and did not change for a while. */
  async trimStreams(options: TrimOptions): Promise<TrimSummary> {
    checkBag('trimStreams', options);
    return this.#retention.trimStreams(options);
  }

  /** Typed as the agent's `outputSchema` says. */
  #handle<Output>(started: StartedRun, agent?: AgentConfig): AgentExecutionHandle<Output> {
    return createHandle(this.#handleParts, started, agent) as AgentExecutionHandle<Output>;
  }
}
