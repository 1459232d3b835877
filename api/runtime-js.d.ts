// What `@helix-agents/runtime-js` exports. Written by `npm run api`; a report to read and compare, not a module.

export {
  HostSeams,
} from '@helix-agents/core/host';

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
