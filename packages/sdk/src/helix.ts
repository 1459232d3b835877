import type {
  AbortResult,
  AgentConfig,
  AgentExecutionHandle,
  AgentRegistryLike,
  ExecuteOptions,
  InferAgentOutput,
  InputOf,
  InterruptResult,
  LLMAdapter,
  Logger,
  OpenCallFilter,
  OpenCallRow,
  Page,
  ResumeOptions,
  SessionFilter,
  SessionRow,
  SessionStateStore,
  StateStore,
  StreamManager,
  SubmitOptions,
  SubmitOutcome,
  SubmitToolResultInput,
  UsageStore,
} from '@helix-agents/core';
import type { LanguageModel } from '@helix-agents/llm-vercel';
import type { JSAgentExecutor, JSAgentExecutorOptions } from '@helix-agents/runtime-js';
import type { AnswerOptions, ApproveOptions, CallAddress, DenyOptions } from './answers.ts';

/** Stores to work with. What `openSqlite` returns is one. */
export interface HelixDatabase {
  readonly stateStore: StateStore;
  readonly streamManager: StreamManager;
  readonly usageStore?: UsageStore;
  /** Called last by `helix.close()`. */
  readonly close?: () => void | Promise<void>;
}

/** Where everything durable is kept: fits wherever a state store or a stream manager is asked for. */
export interface HelixStores extends HelixDatabase {
  readonly stateStore: SessionStateStore & StateStore;
}

/** Also takes every option of `JSAgentExecutor`, such as `logger`, `serviceName`, `hooks` and `leaseMs`. */
export interface HelixOptions extends Omit<
  JSAgentExecutorOptions,
  'agentRegistry' | 'usageStore' | 'seams'
> {
  /**
   * The model of every agent that names none of its own in `llmConfig.model`: a model of an AI SDK provider such as
   * `openai('gpt-5')`, a list of them (the next is asked when one fails), or an `LLMAdapter`, which then answers for all agents.
   * May be left out where every agent names its own.
   */
  readonly model?: LanguageModel | readonly LanguageModel[] | LLMAdapter;
  /** Path of an SQLite file (default `helix.db` in the working directory), `:memory:`, or stores of your own. */
  readonly database?: string | HelixDatabase;
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
  /** Default: warnings and errors go to the console. */
  readonly logger?: Logger;
}

/** What a chat route works with: the first argument of `handleChatStream` and its like in `@helix-agents/ai-sdk`. */
export interface HelixChat<Agent extends AgentConfig = AgentConfig> {
  readonly agent: Agent;
  readonly executor: JSAgentExecutor;
  readonly stateStore: HelixStores['stateStore'];
  readonly streamManager: StreamManager;
  readonly logger: Logger;
}

/** Agents in this process, and what is done with their sessions. */
export interface Helix {
  /** Everything else: abort, branches, runs, sweep, retention. */
  readonly executor: JSAgentExecutor;
  readonly stores: HelixStores;
  /** Starts a session, or the next turn of one. The handle has the stream and the result. */
  run<Agent extends AgentConfig>(
    agent: Agent,
    input: InputOf<Agent>,
    options?: ExecuteOptions,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
  /** Goes on with a session that was suspended or interrupted, or whose process died. */
  resume<Agent extends AgentConfig>(
    agent: Agent,
    sessionId: string,
    options?: ResumeOptions,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
  resume(sessionId: string, options?: ResumeOptions): Promise<AgentExecutionHandle>;
  /** Goes on with a failed session, in a new run, from its last committed step. */
  retry<Agent extends AgentConfig>(
    agent: Agent,
    sessionId: string,
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
  retry(sessionId: string): Promise<AgentExecutionHandle>;
  /** Stops the run at its next boundary, in whatever process; `resume` goes on from there. */
  interrupt(sessionId: string, reason?: string): Promise<InterruptResult>;
  /** Stops it for good: the session has failed, its open calls are closed. */
  abort(sessionId: string, reason?: string): Promise<AbortResult>;

  /** What waits for a person: approvals and client tools, oldest first. */
  inbox(filter?: OpenCallFilter): Promise<Page<OpenCallRow>>;
  /** Lets a call that waits for approval run, with an `input` that the person edited if there is one. Runs nothing itself: `resume` does. */
  approve(call: CallAddress, options?: ApproveOptions): Promise<SubmitOutcome>;
  /** The tool does not run, and the model reads the reason. */
  deny(call: CallAddress, options?: DenyOptions): Promise<SubmitOutcome>;
  /** The result of a client tool. */
  answer(call: CallAddress, result: unknown, options?: AnswerOptions): Promise<SubmitOutcome>;
  /** Closes a call of any kind with an error, which the model reads. */
  fail(call: CallAddress, error: string, options?: AnswerOptions): Promise<SubmitOutcome>;
  /** Stores a person's answer, in the form that clients send. */
  submitToolResult(
    submission: SubmitToolResultInput,
    options?: SubmitOptions,
  ): Promise<SubmitOutcome>;

  /** Newest first. */
  sessions(filter?: SessionFilter): Promise<Page<SessionRow>>;
  /**
   * What a chat route of this agent works with.
   *
   * @example
   * export const POST = (request: Request) => handleChatStream(helix.chat(assistant), { request });
   */
  chat<Agent extends AgentConfig>(agent: Agent): HelixChat<Agent>;
  /** Gives running sessions back so that another process goes on with them at once; closes the stores last. */
  close(): Promise<void>;
}
