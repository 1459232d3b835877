// What `@helix-agents/sdk` exports. Written by `npm run api`; a report to read and compare, not a module.

export * from '@helix-agents/core';

export * from '@helix-agents/runtime-js';

export * from '@helix-agents/store-memory';

export * from '@helix-agents/store-sqlite';

export interface Helix {
    readonly executor: JSAgentExecutor;
    readonly stores: HelixStores;
    run<Agent extends AgentConfig>(agent: Agent, input: AgentInput, options?: ExecuteOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    submitToolResult(submission: SubmitToolResultInput, options?: SubmitOptions): Promise<SubmitOutcome>;
    resume<Agent extends AgentConfig>(agent: Agent, sessionId: string, options?: ResumeOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    resume(sessionId: string, options?: ResumeOptions): Promise<AgentExecutionHandle>;
    close(): Promise<void>;
}

export interface HelixOptions extends Omit<JSAgentExecutorOptions, 'agentRegistry' | 'usageStore' | 'seams'> {
    readonly model: LLMAdapter;
    readonly database?: string | HelixStores;
    readonly agents?: readonly AgentConfig[] | AgentRegistryLike;
    readonly recoverEveryMs?: number | false;
    readonly autoResume?: boolean;
    readonly handleSignals?: boolean;
    readonly shutdownGraceMs?: number;
}

export interface HelixStores {
    readonly stateStore: StateStore;
    readonly streamManager: StreamManager;
    readonly usageStore?: UsageStore;
    readonly close?: () => void | Promise<void>;
}

export declare function createHelix(options: HelixOptions): Helix;
