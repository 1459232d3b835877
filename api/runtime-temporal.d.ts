// What `@helix-agents/runtime-temporal` exports. Written by `npm run api`; a report to read and compare, not a module.

export {
  AgentRegistry,
  defaultAgentRegistry,
} from '@helix-agents/core';

export {
  RunFailure,
  Sweeper,
} from '@helix-agents/core/host';

export interface AgentActivitiesConfig extends ExecutorParts {
    readonly llmAdapter: LLMAdapter;
    readonly client?: Client;
    readonly seams?: EngineSeams;
}

export interface AgentWorkerConfig extends AgentActivitiesConfig {
    readonly connection?: NativeConnection;
    readonly namespace?: string;
    readonly taskQueue?: string;
    readonly workflowBundle?: WorkflowBundleOption;
    readonly workflowsPath?: string;
    readonly sweeper?: Sweeper;
    readonly activities?: object;
    readonly worker?: Partial<WorkerOptions>;
}

export interface AgentWorkflowInput {
    readonly run: LoopRun;
    readonly prefix: string;
    readonly settings: WorkflowSettings;
    readonly continued?: boolean;
    readonly searchAttributes?: SearchAttributeNames;
}

export interface AgentWorkflowResult {
    readonly sessionId: string;
    readonly runId: string;
    readonly status: Exclude<LoopOutcomeStatus, 'handover'>;
}

export interface BundleAgentWorkflowOptions {
    readonly workflowsPath?: string;
    readonly workflowInterceptorModules?: readonly string[];
    readonly logger?: BundleOptions['logger'];
}

export type GenericActivities = Activities;
export declare const GenericActivities: new (config: AgentActivitiesConfig) => Activities;

export declare const INTERRUPT_SIGNAL_NAME = "interrupt";

export interface SearchAttributeNames {
    readonly sessionId?: string;
    readonly agentType?: string;
}

export interface SweepScheduleOptions extends RecoverOptions {
    readonly client: Client;
    readonly everyMs?: number;
    readonly taskQueue?: string;
    readonly scheduleId?: string;
}

export declare class TemporalAgentExecutor extends SessionExecutor<EngineRuns> {
    constructor(config: TemporalAgentExecutorConfig);
    execute<Agent extends AgentConfig>(agent: Agent, input: InputOf<Agent>, options?: ExecuteOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    interruptAgent(sessionId: string, reason?: string): Promise<InterruptResult>;
    abortAgent(sessionId: string, reason?: string): Promise<AbortResult>;
}

export interface TemporalAgentExecutorConfig extends ExecutorParts {
    readonly client: Client;
    readonly taskQueue?: string;
    readonly workflowName?: string;
    readonly workflowIdPrefix?: string;
    readonly settings?: Partial<WorkflowSettings>;
    readonly searchAttributes?: SearchAttributeNames;
    readonly seams?: Pick<EngineSeams, 'databases' | 'directory'>;
}

export interface WorkflowSettings {
    readonly modelTimeoutMs: number;
    readonly toolTimeoutMs: number;
    readonly operationTimeoutMs: number;
    readonly heartbeatTimeoutMs: number;
    readonly maxAttempts: number;
    readonly firstRetryMs: number;
    readonly maxHistoryEvents: number;
}

export declare function bundleAgentWorkflow(options?: BundleAgentWorkflowOptions): Promise<WorkflowBundleWithSourceMap>;

export declare function createAgentActivities(config: AgentActivitiesConfig): GenericActivities;

export declare function createAgentWorker(config: AgentWorkerConfig): Promise<Worker>;

export declare function startSweepSchedule(options: SweepScheduleOptions): Promise<void>;
