// What `@helix-agents/core/state-store` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface CheckpointsPage {
    readonly items: readonly CheckpointMeta[];
    readonly total: number;
    readonly hasMore: boolean;
    readonly cursor: string | null;
}

export interface CheckpointsRange {
    readonly limit?: number;
    readonly offset?: number;
    readonly cursor?: string;
}

export interface CompareAndSetOptions extends SetStatusOptions {
    readonly expectedVersion?: number;
}

export type CompareAndSetResult = {
    readonly ok: true;
    readonly newVersion: number;
} | {
    readonly ok: false;
    readonly currentStatus: SessionStatus;
    readonly currentVersion: number;
    readonly reason: 'mismatch' | 'owned' | 'unsettled';
};

export interface CompletedClientToolCall extends Answerer {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly outcome: CallOutcomeName | null;
    readonly completedAt: number;
}

export interface CreateRunOptions {
    readonly runId?: string;
    readonly trigger?: RunTrigger;
    readonly startSequence?: number;
}

export interface CreateSessionOptions {
    readonly agentType?: string;
    readonly customState?: unknown;
    readonly userId?: string;
    readonly tags?: readonly string[];
    readonly metadata?: JsonObject;
}

export type ExpectedStatus = SessionStatus | 'paused';

export interface FacadeOptions {
    readonly now?: () => number;
    readonly newId?: () => string;
}

export interface InterruptFlag {
    readonly interrupted: true;
    readonly reason: string | null;
    readonly timestamp: number;
}

export interface MessagesPage {
    readonly messages: readonly Message[];
    readonly total: number;
    readonly hasMore: boolean;
}

export interface MessagesRange {
    readonly offset?: number;
    readonly limit?: number;
    readonly includeThinking?: boolean;
}

export interface PendingClientToolCall {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly kind: OpenCallKind;
    readonly input: JsonValue;
    readonly rawInput?: JsonValue;
    readonly approvalId: string | null;
    readonly deadlineAt: number | null;
    readonly openedAt: number;
    readonly submittedAt?: number;
    readonly outcome?: CallOutcomeName;
    readonly response?: CallAnswer;
}

export interface PromoteOptions {
    readonly stepId: number;
    readonly messages?: readonly Message[];
}

export interface Promoted {
    readonly newVersion: number;
    readonly checkpointId: string;
}

export type SavedState = Pick<SessionState<unknown>, 'version'> & Partial<SessionState<unknown>>;

export declare class SessionStateStoreFacade implements SessionStateStore, StateStore {
    readonly sessions: SessionStore;
    readonly index: SessionIndex;
    constructor(store: StateStore, options?: FacadeOptions);
    createSession(sessionId: string, options?: CreateSessionOptions): Promise<SessionState>;
    sessionExists(sessionId: string): Promise<boolean>;
    deleteSession(sessionId: string): Promise<void>;
    deleteState(sessionId: string): Promise<void>;
    loadState<State = JsonValue>(sessionId: string): Promise<SessionState<State> | null>;
    saveState(sessionId: string, state: SavedState): Promise<Written>;
    updateStatus(sessionId: string, status: ExpectedStatus, options?: SetStatusOptions): Promise<Written>;
    compareAndSetStatus(sessionId: string, expected: readonly ExpectedStatus[], next: ExpectedStatus, options?: CompareAndSetOptions): Promise<CompareAndSetResult>;
    appendMessages(sessionId: string, messages: readonly Message[]): Promise<Written & {
        readonly messageCount: number;
    }>;
    getMessages(sessionId: string, range?: MessagesRange): Promise<MessagesPage>;
    getAllMessages(sessionId: string): Promise<readonly Message[]>;
    truncateMessages(sessionId: string, count: number, options?: TruncateOptions): Promise<Written & {
        readonly messageCount: number;
    }>;
    incrementStepCount(sessionId: string): Promise<number>;
    incrementResumeCount(sessionId: string): Promise<number>;
    stageChanges(sessionId: string, stepId: number, changes: StagedChanges): Promise<void>;
    promoteStaging(sessionId: string, options: PromoteOptions): Promise<Promoted>;
    discardStaging(sessionId: string, stepId: number): Promise<void>;
    saveStateAndPromoteStaging(sessionId: string, state: SavedState, options: PromoteOptions): Promise<Promoted>;
    listCheckpoints(sessionId: string, range?: CheckpointsRange): Promise<CheckpointsPage>;
    getLatestCheckpoint(sessionId: string): Promise<Checkpoint | null>;
    getCheckpoint(first: string, checkpointId?: string): Promise<Checkpoint | null>;
    createRun(sessionId: string, options?: CreateRunOptions): Promise<RunRow>;
    getCurrentRun(sessionId: string): Promise<RunRow | null>;
    listRuns(sessionId: string, range?: {
        readonly last?: number;
    }): Promise<{
        readonly runs: readonly RunRow[];
    }>;
    setInterruptFlag(sessionId: string, reason?: string): Promise<boolean>;
    checkInterruptFlag(sessionId: string): Promise<InterruptFlag | null>;
    clearInterruptFlag(sessionId: string): Promise<void>;
    listSubSessions(sessionId: string): Promise<readonly SubSessionRef[]>;
}

export interface SetStatusOptions {
    readonly error?: string | StoredError;
}

export interface StagedChanges {
    readonly toolCallId: string;
    readonly patches?: readonly JsonPatch[];
    readonly writes?: readonly StateWrite[];
    readonly timestamp?: number;
}

export interface TruncateOptions {
    readonly restoreState?: JsonValue;
    readonly version?: number;
}

export interface Written {
    readonly newVersion: number;
}

export declare function createStateStoreFacade(store: StateStore, options?: FacadeOptions): SessionStateStoreFacade;
