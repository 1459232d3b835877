// What `@helix-agents/sdk` exports. Written by `npm run api`; a report to read and compare, not a module.

export * from '@helix-agents/core';

export * from '@helix-agents/runtime-js';

export * from '@helix-agents/store-memory';

export * from '@helix-agents/store-sqlite';

export {
  LanguageModel,
  VercelAIAdapter,
  VercelAIAdapterOptions,
} from '@helix-agents/llm-vercel';

export interface AnswerOptions {
    readonly answeredBy?: string;
}

export interface ApproveOptions extends DenyOptions {
    readonly input?: unknown;
}

export type CallAddress = {
    readonly toolCallId: string;
} & ({
    readonly sessionId: string;
} | {
    readonly rootId: string;
});

export interface DenyOptions extends AnswerOptions {
    readonly reason?: string;
}

export interface Helix {
    readonly executor: JSAgentExecutor;
    readonly stores: HelixStores;
    run<Agent extends AgentConfig>(agent: Agent, input: InputOf<Agent>, options?: ExecuteOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    resume<Agent extends AgentConfig>(agent: Agent, sessionId: string, options?: ResumeOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    resume(sessionId: string, options?: ResumeOptions): Promise<AgentExecutionHandle>;
    retry<Agent extends AgentConfig>(agent: Agent, sessionId: string): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    retry(sessionId: string): Promise<AgentExecutionHandle>;
    interrupt(sessionId: string, reason?: string): Promise<InterruptResult>;
    abort(sessionId: string, reason?: string): Promise<AbortResult>;
    inbox(filter?: OpenCallFilter): Promise<Page<OpenCallRow>>;
    approve(call: CallAddress, options?: ApproveOptions): Promise<SubmitOutcome>;
    deny(call: CallAddress, options?: DenyOptions): Promise<SubmitOutcome>;
    answer(call: CallAddress, result: unknown, options?: AnswerOptions): Promise<SubmitOutcome>;
    fail(call: CallAddress, error: string, options?: AnswerOptions): Promise<SubmitOutcome>;
    submitToolResult(submission: SubmitToolResultInput, options?: SubmitOptions): Promise<SubmitOutcome>;
    sessions(filter?: SessionFilter): Promise<Page<SessionRow>>;
    chat<Agent extends AgentConfig>(agent: Agent): HelixChat<Agent>;
    close(): Promise<void>;
}

export interface HelixChat<Agent extends AgentConfig = AgentConfig> {
    readonly agent: Agent;
    readonly executor: JSAgentExecutor;
    readonly stateStore: HelixStores['stateStore'];
    readonly streamManager: StreamManager;
    readonly logger: Logger;
}

export interface HelixDatabase {
    readonly stateStore: StateStore;
    readonly streamManager: StreamManager;
    readonly usageStore?: UsageStore;
    readonly close?: () => void | Promise<void>;
}

export interface HelixOptions extends Omit<JSAgentExecutorOptions, 'agentRegistry' | 'usageStore' | 'seams'> {
    readonly model?: LanguageModel | readonly LanguageModel[] | LLMAdapter;
    readonly database?: string | HelixDatabase;
    readonly agents?: readonly AgentConfig[] | AgentRegistryLike;
    readonly recoverEveryMs?: number | false;
    readonly autoResume?: boolean;
    readonly handleSignals?: boolean;
    readonly shutdownGraceMs?: number;
    readonly logger?: Logger;
}

export interface HelixStores extends HelixDatabase {
    readonly stateStore: SessionStateStore & StateStore;
}

export declare function createHelix(options?: HelixOptions): Helix;
