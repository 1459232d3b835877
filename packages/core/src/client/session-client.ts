import { replacedState } from '../define/initial-state.ts';
import { treeOf } from '../define/resolve-agent.ts';
import type { SubmitToolResult } from '../define/submit-schema.ts';
import type { AgentConfig } from '../define/types.ts';
import type { LoopRun } from '../loop/host.ts';
import { abortSession, type AbortResult } from '../engine/human/abort.ts';
import { announceMissedEnd, readOpenCalls } from '../engine/announce/announce-end.ts';
import { branchSession } from '../engine/human/branch.ts';
import { claim } from '../engine/claim/claim.ts';
import {
  findStep,
  newRoot,
  readRoot,
  readRootStep,
  type FoundStep,
} from '../engine/claim/claimable.ts';
import { claimResume, resumeRefusal, takeOver } from '../engine/claim/resume.ts';
import { loopRun } from '../engine/rows/loop-run.ts';
import type { EngineContext, RunAgent } from '../engine/context.ts';
import { requireAgent } from '../engine/require-agent.ts';
import { interruptSession, type InterruptResult } from '../engine/human/interrupt.ts';
import {
  isSuspended,
  isTerminal,
  ownerIsDead,
  ownerMayBeDead,
} from '../engine/rows/session-status.ts';
import { cancelOpenCall, submitToolResult, type SubmitOutcome } from '../engine/human/submit.ts';
import { expireOverdue, type SweepPage } from '../engine/human/sweep.ts';
import { supersede } from '../engine/human/supersede.ts';
import { claimFromCheckpoint } from '../engine/human/time-travel.ts';
import { errorMessage } from '../errors/helix-error.ts';
import { InvalidRequestError, NotRootSessionError } from '../errors/request-errors.ts';
import {
  AgentAlreadyRunningError,
  NotResumableError,
  SessionExistsError,
  SessionNotFoundError,
  SessionSuspendedError,
} from '../errors/session-errors.ts';
import type { UserMessage } from '../messages/message.ts';
import type { SessionRow } from '../store/rows.ts';
import type { SessionIndex } from '../store/session-store.ts';
import type { JsonObject } from '../json.ts';
import { checkExecuteOptions, checkName, checkResumeOptions } from './check-options.ts';
import { interruptBelow } from './interrupt-below.ts';
import { newSession } from './new-session.ts';
import type { AgentInput, CanResume, ExecuteOptions, ResumeOptions } from './types.ts';
import { checkNewSessionId, checkSessionId, toUserMessages } from './user-messages.ts';

/** How a host brings a claimed run to life. */
export interface RunStarter {
  /** Called after the claim is committed. Returns when the host has taken the run. */
  start(run: LoopRun): Promise<void>;
  /** Drives a dead owner's run to its end; used before a message is added on top of it. */
  finish(run: LoopRun): Promise<void>;
  /**
   * Where an engine keeps runs alive it knows better than the row who is dead: says the row as it should be read, with a
   * lease that is over when the engine has no such run, and as started while it does.
   */
  judge?(session: SessionRow): Promise<SessionRow>;
  /** Running roots that look forgotten although their row does not say so, for `judge` to look at. */
  findLost?(index: SessionIndex, page: SweepPage): Promise<readonly SessionRow[]>;
}

/** What one `execute` call asks for, until its run ends. */
export type RunOverrides = Pick<RunAgent, 'durability' | 'hooks'>;

/** The claims and commands of every executor: each ends in one commit, then the host starts the run. */
export class SessionClient {
  readonly #ctx: EngineContext;
  readonly #starter: RunStarter;

  constructor(ctx: EngineContext, starter: RunStarter) {
    this.#ctx = ctx;
    this.#starter = starter;
  }

  /** `overrides` count for this run. */
  async execute(
    agent: AgentConfig,
    input: AgentInput,
    options: ExecuteOptions,
    overrides: RunOverrides = {},
  ): Promise<LoopRun> {
    return this.#execute({ ...overrides, agent, isGiven: true }, input, options);
  }

  async #execute(runAgent: RunAgent, input: AgentInput, options: ExecuteOptions): Promise<LoopRun> {
    const { agent } = runAgent;
    treeOf(agent);
    const { sessionId } = options;
    if (sessionId !== undefined) checkSessionId(sessionId);
    checkExecuteOptions(options);
    const { message, state } =
      typeof input === 'string' ? { message: input, state: undefined } : input;
    const messages = toUserMessages(message, this.#ctx.newId);
    const run =
      sessionId === undefined
        ? await this.#beginSession(agent, messages, state, options)
        : await this.#claimForMessage(runAgent, sessionId, messages, state, options);
    await this.#start(run, runAgent);
    return run;
  }

  /** Under an id that nobody has: there is nothing to look for. One that is taken after all is not touched. */
  async #beginSession(
    agent: AgentConfig,
    messages: readonly UserMessage[],
    state: JsonObject | undefined,
    options: ExecuteOptions,
  ): Promise<LoopRun> {
    const given = await newSession(agent, state, options);
    for (;;) {
      const root = newRoot(this.#ctx, this.#ctx.newId(), given);
      const run = await claim(this.#ctx, root, { trigger: 'execute', messages });
      if (run) return run;
    }
  }

  async #claimForMessage(
    runAgent: RunAgent,
    sessionId: string,
    messages: readonly UserMessage[],
    state: JsonObject | undefined,
    options: ExecuteOptions,
  ): Promise<LoopRun> {
    const ref = { rootId: sessionId, sessionId };
    for (;;) {
      const found = await findStep(this.#ctx, ref, true);
      if (found && found.session.turn > 0 && options.ifExists === 'reject')
        throw new SessionExistsError(sessionId);
      const run = found
        ? await this.#nextTurn(runAgent, await this.#judgedStep(found), messages, state, options)
        : await this.#firstTurn(runAgent, sessionId, messages, state, options);
      if (run) return run;
    }
  }

  /** Null: somebody else created it meanwhile. */
  async #firstTurn(
    { agent }: RunAgent,
    sessionId: string,
    messages: readonly UserMessage[],
    state: JsonObject | undefined,
    options: ExecuteOptions,
  ): Promise<LoopRun | null> {
    checkNewSessionId(sessionId);
    const root = newRoot(this.#ctx, sessionId, await newSession(agent, state, options));
    return claim(this.#ctx, root, { trigger: 'execute', messages });
  }

  /** Adds a message to an existing session as its status allows. Null: it moved, look again. */
  async #nextTurn(
    { agent, isGiven }: RunAgent,
    found: FoundStep,
    messages: readonly UserMessage[],
    given: JsonObject | undefined,
    options: ExecuteOptions,
  ): Promise<LoopRun | null> {
    const { session } = found;
    const { sessionId, customState } = session;
    if (session.parentSessionId !== null) throw new NotRootSessionError(sessionId, session.rootId);
    assertAgentOf(session, agent);
    const state = given && (await replacedState(agent, customState, given));
    if (session.status === 'running') {
      // Created by hand and never run: this is its first turn.
      if (session.turn === 0)
        return claim(this.#ctx, found, { trigger: 'execute', messages, state });
      if (!ownerMayBeDead(session)) throw new AgentAlreadyRunningError(sessionId);
      const taken = await takeOver(this.#ctx, session);
      if (!taken) return null;
      this.#ctx.agents.keep(taken, { agent, isGiven });
      await this.#starter.finish(taken);
      return null;
    }
    if (isSuspended(session)) {
      if ((options.onMessageWhileSuspended ?? 'reject') === 'reject') {
        const open = await readOpenCalls(this.#ctx, session);
        throw new SessionSuspendedError(
          sessionId,
          open.map(({ toolCallId }) => toolCallId),
        );
      }
      return supersede(this.#ctx, session, { messages, state });
    }
    if (session.status === 'interrupted') return supersede(this.#ctx, session, { messages, state });
    return claim(this.#ctx, found, { trigger: 'execute', messages, state });
  }

  /** `given` is the agent that the caller takes the session for. */
  async resume(sessionId: string, options: ResumeOptions, given?: AgentConfig): Promise<LoopRun> {
    checkResumeOptions(options);
    for (;;) {
      const rows = await this.#judgedStep(await readRootStep(this.#ctx, sessionId));
      const { session } = rows;
      const agent = this.#requireAgent(session, given);
      const runAgent = { agent, isGiven: given !== undefined };
      if (options.mode === 'with_message')
        return this.#resumeWithMessage(runAgent, session, options);
      const run = await this.#claimOrAttach(rows, options);
      if (!run) continue;
      if (run !== 'runs') await this.#start(run, runAgent);
      return run === 'runs' ? loopRun(session) : run;
    }
  }

  /** `runs`: somebody runs it, and the caller wants to hear of that run. It does not go back to a checkpoint for that. */
  async #claimOrAttach(rows: FoundStep, options: ResumeOptions): Promise<LoopRun | 'runs' | null> {
    try {
      return await this.#claimResume(rows, options);
    } catch (error) {
      const { ifRunning, checkpointId } = options;
      const attaches = ifRunning === 'attach' && checkpointId === undefined;
      const runs = rows.session.status === 'running';
      if (attaches && runs && AgentAlreadyRunningError.isInstance(error)) return 'runs';
      throw error;
    }
  }

  async #claimResume(found: FoundStep, options: ResumeOptions): Promise<LoopRun | null> {
    const { session, step } = found;
    if (options.checkpointId !== undefined) {
      return claimFromCheckpoint(this.#ctx, session, options.checkpointId);
    }
    const refusal = resumeRefusal(session, ownerMayBeDead(session));
    if (refusal) throw refusal;
    const mayBeLate = step.calls.some((row) => row.state === 'open' && row.deadlineAt !== null);
    if (mayBeLate && (await expireOverdue(this.#ctx, session.sessionId)) > 0) return null;
    return claimResume(this.#ctx, found);
  }

  async #resumeWithMessage(
    runAgent: RunAgent,
    { sessionId, status }: SessionRow,
    { message = '', onMessageWhileSuspended }: ResumeOptions,
  ): Promise<LoopRun> {
    if (isTerminal({ status })) throw new NotResumableError(sessionId, status);
    const policy = onMessageWhileSuspended === undefined ? {} : { onMessageWhileSuspended };
    return this.#execute(runAgent, { message }, { sessionId, ...policy });
  }

  async branch(
    sourceId: string,
    options: { readonly checkpointId?: string; readonly sessionId?: string },
  ): Promise<{ readonly sessionId: string }> {
    const sessionId = options.sessionId ?? this.#ctx.newId();
    checkNewSessionId(sessionId);
    const source = await readRoot(this.#ctx, sourceId);
    await branchSession(this.#ctx, source, sessionId, options.checkpointId);
    return { sessionId };
  }

  /** Starts a failed session again where it failed: its step was closed, so it begins with the model. */
  async retry(sessionId: string, given?: AgentConfig): Promise<LoopRun> {
    for (;;) {
      const rows = await readRootStep(this.#ctx, sessionId);
      const { session } = rows;
      const agent = this.#requireAgent(session, given);
      if (session.status === 'running') throw new AgentAlreadyRunningError(sessionId);
      if (session.status !== 'failed')
        throw new NotResumableError(sessionId, `${session.status}, not failed`);
      const run = await claim(this.#ctx, rows, { trigger: 'retry' });
      if (!run) continue;
      await this.#start(run, { agent, isGiven: given !== undefined });
      return run;
    }
  }

  async #start(run: LoopRun, runAgent: RunAgent): Promise<void> {
    this.#ctx.agents.keep(run, runAgent);
    await this.#starter.start(run);
  }

  /** Whether `resume` with the same arguments would be refused, and why. Changes and remembers nothing. */
  async canResume(sessionId: string, given?: AgentConfig): Promise<CanResume> {
    const ref = { rootId: sessionId, sessionId };
    const state = await this.#judged(await this.#ctx.databases.of(ref).readSession(ref));
    if (!state) return { canResume: false, reason: new SessionNotFoundError(sessionId).message };
    try {
      this.#assertResumable(state, given);
      return { canResume: true, state };
    } catch (error) {
      return { canResume: false, reason: errorMessage(error), state };
    }
  }

  #assertResumable(session: SessionRow, given: AgentConfig | undefined): void {
    const { sessionId, rootId, parentSessionId } = session;
    if (parentSessionId !== null) throw new NotRootSessionError(sessionId, rootId);
    this.#requireAgent(session, given);
    const refusal = resumeRefusal(session, ownerIsDead(session, this.#ctx.clock.now()));
    if (refusal) throw refusal;
  }

  async submit(submission: SubmitToolResult, answeredBy?: string): Promise<SubmitOutcome> {
    checkName('answeredBy', answeredBy);
    return submitToolResult(this.#ctx, submission, answeredBy ?? null);
  }

  async cancel(
    call: { sessionId: string; toolCallId: string },
    answeredBy?: string,
  ): Promise<SubmitOutcome> {
    checkName('answeredBy', answeredBy);
    return cancelOpenCall(this.#ctx, call, answeredBy ?? null);
  }

  async interrupt(sessionId: string, reason?: string): Promise<InterruptResult> {
    const root = await readRoot(this.#ctx, sessionId);
    const result = await interruptSession(this.#ctx, root, reason ?? null);
    // Between the operations of an engine's run nobody watches it: its children hear of the stop from here.
    const watched = this.#ctx.identity.leaseMs !== null;
    if (result.status === 'requested' && !watched) await interruptBelow(this.#ctx, root);
    return result;
  }

  async abort(sessionId: string, reason?: string): Promise<AbortResult> {
    return abortSession(this.#ctx, await readRoot(this.#ctx, sessionId), reason ?? null);
  }

  /** The session's current run, its stream brought up to date with the store. */
  async attach(sessionId: string): Promise<SessionRow | null> {
    const ref = { rootId: sessionId, sessionId };
    const session = await this.#ctx.databases.of(ref).readSession(ref);
    if (!session || session.parentSessionId !== null) return null;
    await announceMissedEnd(this.#ctx, session);
    return session;
  }

  async #judged<Found extends SessionRow | null>(session: Found): Promise<Found | SessionRow> {
    if (session?.status !== 'running' || session.turn === 0) return session;
    return (await this.#starter.judge?.(session)) ?? session;
  }

  async #judgedStep(rows: FoundStep): Promise<FoundStep> {
    const session = await this.#judged(rows.session);
    return session === rows.session ? rows : { ...rows, session };
  }

  #requireAgent(session: SessionRow, given: AgentConfig | undefined): AgentConfig {
    if (!given) return requireAgent(this.#ctx, session);
    treeOf(given);
    assertAgentOf(session, given);
    return given;
  }
}

function assertAgentOf({ agentType }: SessionRow, { name }: AgentConfig): void {
  if (agentType === name) return;
  const message = `belongs to the agent "${agentType}", not to "${name}"`;
  throw new InvalidRequestError([{ path: 'sessionId', message }]);
}
