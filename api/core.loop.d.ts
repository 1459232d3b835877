// What `@helix-agents/core/loop` exports. Written by `npm run api`; a report to read and compare, not a module.

export type ChildEnd = {
    readonly kind: 'ended';
}
 | {
    readonly kind: 'elsewhere';
}
 | {
    readonly kind: 'died';
    readonly detail: string;
};

export type Done = {
    readonly ok: true;
} | Refusal;

export type GiveUpReason = 'timeout' | 'error' | 'dispatch_failed';

export interface Host extends LoopOperations {
    runChild(run: LoopRun, index: number, child: LoopRun): Promise<ChildEnd>;
    pause(run: LoopRun): Promise<void>;
    startTimer(ms: number): LoopTimer;
    shouldYield(run: LoopRun): Promise<boolean>;
    describe(error: unknown): RunFailure;
    warn(event: string, run: LoopRun, error: string): void;
}

export declare const LOOP_VERSION = 1;

export interface LoopOperations {
    begin(run: LoopRun): Promise<Done>;
    settle(run: LoopRun): Promise<SettleResult>;
    think(run: LoopRun): Promise<ThinkResult>;
    tool(run: LoopRun, call: PlanEntry): Promise<Done>;
    startChild(run: LoopRun, index: number): Promise<StartedChild>;
    collectChild(run: LoopRun, index: number): Promise<Done>;
    giveUpChild(run: LoopRun, index: number, reason: GiveUpReason, detail?: string): Promise<Done>;
    fail(run: LoopRun, failure: RunFailure): Promise<void>;
    handover(run: LoopRun): Promise<Done>;
    end(run: LoopRun): Promise<LoopOutcome>;
}

export interface LoopOutcome {
    readonly status: LoopOutcomeStatus;
}

export type LoopOutcomeStatus = 'completed' | 'failed' | 'interrupted' | 'suspended_client_tool' | 'suspended_awaiting_children' | 'suspended_step_partial'
 | 'stale'
 | 'handover';

export interface LoopRun {
    readonly rootId: string;
    readonly sessionId: string;
    readonly runId: string;
    readonly epoch: number;
    readonly agentType: string;
    readonly loopVersion: number;
    readonly isTakeover?: true;
}

export interface LoopTimer {
    readonly fired: Promise<boolean>;
    cancel(): void;
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
    readonly code: 'stale';
}

export interface RunFailure {
    readonly code: string;
    readonly message: string;
}

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

export type StartedChild = 
{
    readonly ok: true;
    readonly kind: 'run';
    readonly run: LoopRun;
    readonly usedMs: number;
}
 | {
    readonly ok: true;
    readonly kind: 'wait';
}
 | {
    readonly ok: true;
    readonly kind: 'collect';
} | Refusal;

export type ThinkResult = {
    readonly ok: true;
    readonly calls: readonly PlanEntry[];
} | Refusal;

export declare function runSession(host: Host, run: LoopRun): Promise<LoopOutcome>;
