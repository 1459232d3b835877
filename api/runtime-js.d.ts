// What `@helix-agents/runtime-js` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface HostSeams extends OperationSeams {
    readonly runLoop?: typeof runSession;
    readonly shareMemory?: boolean;
    readonly attempts?: number;
}

export declare class JSAgentExecutor extends SessionExecutor<LocalRuns> {
    constructor(config: JSAgentExecutorConfig);
    constructor(stateStore: StateStore, streamManager: StreamManager, llmAdapter: LLMAdapter, options?: JSAgentExecutorOptions);
    shutdown(options?: {
        readonly graceMs?: number;
    }): Promise<void>;
}

export interface JSAgentExecutorConfig extends JSAgentExecutorOptions {
    readonly stateStore: StateStore;
    readonly streamManager: StreamManager;
    readonly llmAdapter: LLMAdapter;
}

export interface JSAgentExecutorOptions extends ExecutorOptions {
    readonly leaseMs?: number;
    readonly seams?: HostSeams;
}
