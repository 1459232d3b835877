// What `@helix-agents/runtime-temporal/workflow` exports. Written by `npm run api`; a report to read and compare, not a module.

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

export declare const INTERRUPT_SIGNAL_NAME = "interrupt";

export declare function agentWorkflow(input: AgentWorkflowInput): Promise<AgentWorkflowResult>;

export declare function sweepWorkflow(options: RecoverOptions): Promise<SweepTotals>;
