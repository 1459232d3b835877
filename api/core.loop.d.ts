// What `@helix-agents/core/loop` exports. Written by `npm run api`; a report to read and compare, not a module.

export type Done = {
    readonly ok: true;
} | Refusal;

export interface Host {
    begin(run: LoopRun): Promise<Done>;
    settle(run: LoopRun): Promise<SettleResult>;
    think(run: LoopRun): Promise<ThinkResult>;
    dispatch(run: LoopRun, calls: readonly PlanEntry[]): Promise<Done>;
    shouldYield(run: LoopRun): Promise<boolean>;
    handover(run: LoopRun): Promise<Done>;
    end(run: LoopRun): Promise<RunOutcome>;
}

export declare const LOOP_VERSION = 1;

export interface LoopRun {
    readonly rootId: string;
    readonly sessionId: string;
    readonly runId: string;
    readonly epoch: number;
    readonly agentType: string;
    readonly loopVersion: number;
    readonly goesOn?: true;
}

export interface PlanEntry {
    readonly index: number;
    readonly callId: string;
    readonly class: 'server' | 'approval' | 'subagent' | 'finish';
    readonly timeoutMs: number | null;
    readonly execution: 'retry' | 'once';
}

export interface Refusal {
    readonly ok: false;
    readonly code: string;
}

export interface RunOutcome {
    readonly status: RunOutcomeStatus;
}

export type RunOutcomeStatus = 'completed' | 'failed' | 'interrupted' | 'suspended_client_tool' | 'suspended_awaiting_children' | 'suspended_step_partial'
 | 'stale'
 | 'handover';

export type SettleResult = {
    readonly ok: true;
    readonly next: 'think';
} | {
    readonly ok: true;
    readonly next: 'end';
} | {
    readonly ok: true;
    readonly next: 'dispatch';
    readonly calls: readonly PlanEntry[];
} | Refusal;

export type ThinkResult = {
    readonly ok: true;
    readonly calls: readonly PlanEntry[];
} | Refusal;

export declare function runSession(host: Host, run: LoopRun): Promise<RunOutcome>;
