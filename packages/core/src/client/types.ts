import type { SubmitToolResultInput } from '../define/submit-schema.ts';
import type {
  AgentConfig,
  Durability,
  InferAgentOutput,
  InferInitialState,
} from '../define/types.ts';
import type { AbortResult } from '../engine/human/abort.ts';
import type { InterruptResult } from '../engine/human/interrupt.ts';
import type { SubmitOutcome } from '../engine/human/submit.ts';
import type { AgentHooks, HookManager } from '../define/hooks.ts';
import type { JsonObject } from '../json.ts';
import type { UserInputMessage } from '../messages/message.ts';
import type {
  OpenCallRow,
  RunRow,
  SessionRow,
  StoredError,
  SuspendedStatus,
} from '../store/rows.ts';
import type { OpenCallFilter, Page, SessionFilter } from '../store/session-store.ts';
import type { StreamChunk } from '../stream/chunks.ts';
import type { UsageRollup } from '../usage/usage.ts';

/** What a run is given. */
export type AgentInput<State = JsonObject> =
  | string
  | {
      readonly message: string | readonly UserInputMessage[];
      /** Initial state of a new session, over the schema's defaults; on a later turn it replaces these fields. */
      readonly state?: State;
    };

/** What a run of that agent is given: its state is the agent's. */
export type InputOf<Agent> = AgentInput<InferInitialState<Agent>>;

/** Of one call, whatever it does. */
export interface CallOptions {
  /** On the log lines of this call, as `service`: who made it, where several servers share an executor's log. */
  readonly serviceName?: string;
}

export interface ExecuteOptions extends CallOptions {
  /** An existing session goes on with a new turn. Default: a new id. */
  readonly sessionId?: string;
  /** A session that has had a run: a new turn of it (default), or `SessionExistsError`, whoever was first. */
  readonly ifExists?: 'continue' | 'reject';
  readonly userId?: string;
  readonly tags?: readonly string[];
  readonly metadata?: { readonly [key: string]: string };
  /** W3C Trace Context of the request: the turn is part of that trace, in whatever process it goes on. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** A message while calls wait for a person: refuse it (default), or close the calls and go on with the message. */
  readonly onMessageWhileSuspended?: 'reject' | 'supersede';
  readonly durability?: Durability;
  /** Fire after the executor's and the agent's; live in this process only, for this run. */
  readonly hooks?: AgentHooks;
  /** A ready-made composition, after `hooks`. */
  readonly hookManager?: HookManager;
}

export interface ResumeOptions extends CallOptions {
  readonly mode?: 'continue' | 'with_message';
  /** For `with_message`: a new user message instead of the missing answers. */
  readonly message?: string | readonly UserInputMessage[];
  readonly onMessageWhileSuspended?: 'reject' | 'supersede';
  /** Goes back to this checkpoint of the session first; what came after it is removed. Not with a message. */
  readonly checkpointId?: string;
  /** Of the request that resumes: traces link to it. */
  readonly traceparent?: string;
  /** When somebody else runs the session already: a typed conflict (default), or a handle of that run. */
  readonly ifRunning?: 'reject' | 'attach';
}

/** What a run waits for. */
export interface Suspension {
  /** Every open call of the tree, oldest first. */
  readonly toolCallIds: readonly string[];
  /** Sub-sessions those calls belong to. */
  readonly children: readonly string[];
  readonly stepId: number;
}

/** How a run ended. After checking a `suspended_*` status, `suspended` is certain. */
export type AgentResult<Output = unknown> =
  | { readonly status: 'completed'; readonly output: Output }
  | { readonly status: 'failed'; readonly error: StoredError }
  | { readonly status: 'interrupted' }
  | { readonly status: SuspendedStatus; readonly suspended: Suspension };

export interface StreamOptions {
  /** Chunks after this number. Default: from the beginning of this run. */
  readonly afterSequence?: number;
}

/**
 * One run, wherever it runs. A handle holds nothing: it may be dropped and made again with `getHandle`. Iterating over it
 * reads its stream: `for await (const chunk of handle)`.
 */
export interface AgentExecutionHandle<Output = unknown> extends AsyncIterable<StreamChunk> {
  readonly sessionId: string;
  readonly runId: string;
  readonly streamId: string;
  /** Number of the stream's last chunk before this run. Known where the run was claimed for this handle. */
  readonly startSequence?: number;
  /** Chunks of this run, live, ending with the run. None when the stream is gone. */
  stream(options?: StreamOptions): Promise<AsyncIterable<StreamChunk>>;
  /** Resolves when the run has ended, whoever ran it. */
  result(): Promise<AgentResult<Output>>;
  resume(options?: ResumeOptions): Promise<AgentExecutionHandle<Output>>;
  interrupt(reason?: string): Promise<InterruptResult>;
  abort(reason?: string): Promise<AbortResult>;
  /** Of this session and all below it; undefined when the executor has no usage store. */
  getUsageRollup(): Promise<UsageRollup | undefined>;
}

export interface SubmitOptions extends CallOptions {
  /** Who answers, as they were authenticated; kept with the answer. */
  readonly answeredBy?: string;
  /** The limit that the caller lets results in by; an executor with a `submitToolResultSchema` of its own goes by that. */
  readonly maxResultBytes?: number;
}

export interface CancelOptions extends CallOptions {
  readonly answeredBy?: string;
}

export interface StopOptions extends CallOptions {
  /** Stops this run alone: `too_late` when another one has begun meanwhile. */
  readonly runId?: string;
}

export interface AbortOptions extends StopOptions {
  /**
   * For good: the session gets no further turn, also where it has ended. An id that nobody has used can never be started after
   * it. Not with `runId`.
   */
  readonly close?: boolean;
  /** With `close`: whose session it has to be, as `userId` of `execute`. */
  readonly userId?: string;
}

export interface CanResume {
  readonly canResume: boolean;
  /** Why not, when it cannot be resumed. */
  readonly reason?: string;
  readonly state?: SessionRow;
}

/** The surface every runtime offers. */
export interface AgentExecutor {
  execute<Agent extends AgentConfig>(
    agent: Agent,
    input: InputOf<Agent>,
    options?: ExecuteOptions,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
  resume<Agent extends AgentConfig>(
    agent: Agent,
    sessionId: string,
    options?: ResumeOptions,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
  resume(
    target: string | ({ readonly sessionId: string } & ResumeOptions),
    options?: ResumeOptions,
  ): Promise<AgentExecutionHandle>;
  retry<Agent extends AgentConfig>(
    agent: Agent,
    sessionId: string,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
  retry(target: string | { readonly sessionId: string }): Promise<AgentExecutionHandle>;
  getHandle<Agent extends AgentConfig>(
    agent: Agent,
    sessionId: string,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>> | null>;
  /** Whether `resume` with the same arguments would be refused, and why. */
  canResume(agent: AgentConfig, sessionId: string): Promise<CanResume>;
  canResume(sessionId: string): Promise<CanResume>;
  submitToolResult?(
    submission: SubmitToolResultInput,
    options?: SubmitOptions,
  ): Promise<SubmitOutcome>;
  /** Copies a session up to a checkpoint (default: its newest) into a new one and says its id. */
  branchSession(
    sessionId: string,
    options?: { readonly checkpointId?: string; readonly sessionId?: string },
  ): Promise<{ readonly sessionId: string }>;
  /** Closes an open call without an answer; its owner sees an `aborted` result on the next resume. */
  cancelOpenCall(
    call: { readonly sessionId: string; readonly toolCallId: string },
    options?: CancelOptions,
  ): Promise<SubmitOutcome>;
  interrupt(sessionId: string, reason?: string, options?: StopOptions): Promise<InterruptResult>;
  abort(sessionId: string, reason?: string, options?: AbortOptions): Promise<AbortResult>;
  listSessions(filter?: SessionFilter): Promise<Page<SessionRow>>;
  listOpenCalls(filter?: OpenCallFilter): Promise<Page<OpenCallRow>>;
  listRuns(sessionId: string): Promise<{ readonly runs: readonly RunRow[] }>;
  getCurrentRun(sessionId: string): Promise<RunRow | null>;
}
