// What `@helix-agents/core` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface AbortResult {
    readonly status: 'aborted' | 'too_late';
}

export declare class AgentAlreadyRunningError extends HelixError {
    readonly name: string;
    readonly sessionId: string;
    constructor(sessionId: string);
    static isInstance(value: unknown): value is AgentAlreadyRunningError;
}

export interface AgentConfig<State extends Schema = Schema, Output extends Schema = Schema> {
    readonly name: string;
    readonly description?: string;
    readonly systemPrompt: string | ((state: never) => string);
    readonly tools?: readonly Tool[];
    readonly stateSchema?: State;
    readonly outputSchema?: Output;
    readonly llmConfig: LLMConfig;
    readonly maxSteps?: number;
    readonly durability?: Durability;
    readonly clientToolTimeoutMs?: number | 'never';
    readonly approvalTimeoutMs?: number | 'never';
    readonly completedTombstoneRetentionMs?: number;
    readonly hooks?: AgentHooks;
}

export type AgentDefinition<State extends Schema = Schema, Output extends Schema = Schema> = Omit<AgentConfig<State, Output>, 'systemPrompt'> & {
    readonly systemPrompt: string | ((state: InferSchema<State>) => string);
};

export declare class AgentDirectory implements SessionAgents {
    constructor(registry?: AgentRegistryLike, options?: AgentDirectoryOptions);
    see(agent: AgentConfig): void;
    keep(owner: LoopRun, run: RunAgent): void;
    forget(run: LoopRun): void;
    knowsRoot(rootId: string): boolean;
    hold(root: SessionOfAgent): () => void;
    find(session: SessionOfAgent): AgentConfig | undefined;
    missing({ agentType }: SessionOfAgent): AgentNotFoundError;
    mayCheckResults(): boolean;
    hooksOf({ rootId, sessionId, }: Pick<SessionOfAgent, 'rootId' | 'sessionId'>): readonly AgentHooks[];
}

export interface AgentExecutionHandle<Output = unknown> {
    readonly sessionId: string;
    readonly runId: string;
    readonly streamId: string;
    stream(options?: StreamOptions): Promise<AsyncIterable<StreamChunk> | null>;
    result(): Promise<AgentResult<Output>>;
    resume(options?: ResumeOptions): Promise<AgentExecutionHandle<Output>>;
    interrupt(reason?: string): Promise<InterruptResult>;
    abort(reason?: string): Promise<AbortResult>;
    getUsageRollup(): Promise<UsageRollup | undefined>;
}

export interface AgentExecutor {
    execute<Agent extends AgentConfig>(agent: Agent, input: AgentInput, options?: ExecuteOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    resume<Agent extends AgentConfig>(agent: Agent, sessionId: string, options?: ResumeOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    resume(target: string | ({
        readonly sessionId: string;
    } & ResumeOptions), options?: ResumeOptions): Promise<AgentExecutionHandle>;
    retry<Agent extends AgentConfig>(agent: Agent, sessionId: string): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    retry(target: string | {
        readonly sessionId: string;
    }): Promise<AgentExecutionHandle>;
    getHandle<Agent extends AgentConfig>(agent: Agent, sessionId: string): Promise<AgentExecutionHandle<InferAgentOutput<Agent>> | null>;
    canResume(agent: AgentConfig, sessionId: string): Promise<CanResume>;
    canResume(sessionId: string): Promise<CanResume>;
    submitToolResult?(submission: SubmitToolResultInput, options?: SubmitOptions): Promise<SubmitOutcome>;
    branchSession(sessionId: string, options?: {
        readonly checkpointId?: string;
        readonly sessionId?: string;
    }): Promise<{
        readonly sessionId: string;
    }>;
    cancelOpenCall(call: {
        readonly sessionId: string;
        readonly toolCallId: string;
    }, options?: {
        answeredBy?: string;
    }): Promise<SubmitOutcome>;
    interrupt(sessionId: string, reason?: string): Promise<InterruptResult>;
    abort(sessionId: string, reason?: string): Promise<AbortResult>;
    listSessions(filter?: SessionFilter): Promise<Page<SessionRow>>;
    listOpenCalls(filter?: OpenCallFilter): Promise<Page<OpenCallRow>>;
    listRuns(sessionId: string): Promise<{
        readonly runs: readonly RunRow[];
    }>;
    getCurrentRun(sessionId: string): Promise<RunRow | null>;
}

export type AgentFactory = (context: AgentFactoryContext) => AgentConfig;

export interface AgentFactoryContext {
    readonly env: unknown;
    readonly sessionId: string;
    readonly runId: string;
    readonly userId?: string;
}

export type AgentHooks = {
    readonly [N in HookName]?: (payload: HookPayloads[N], context: HookContext) => void | Promise<void>;
};

export type AgentInput = string | {
    readonly message: string | readonly UserInputMessage[];
    readonly state?: JsonObject;
};

export declare class AgentNotFoundError extends HelixError {
    readonly name: string;
    readonly agentType: string;
    constructor(agentType: string, message?: string);
    static isInstance(value: unknown): value is AgentNotFoundError;
}

export declare class AgentRegistry {
    register(agent: AgentConfig): void;
    registerFactory(type: string, factory: AgentFactory): void;
    resolve(type: string, context: AgentFactoryContext): AgentConfig;
    get(type: string): AgentConfig;
    has(type: string): boolean;
    unregister(type: string): boolean;
    getRegisteredTypes(): string[];
    list(): AgentConfig[];
    clear(): void;
    replace(agent: AgentConfig): boolean;
}

export type AgentRegistryLike = AgentRegistry | {
    readonly [type: string]: AgentConfig;
} | ReadonlyMap<string, AgentConfig> | ((type: string) => AgentConfig | undefined);

export type AgentResult<Output = unknown> = {
    readonly status: 'completed';
    readonly output: Output;
} | {
    readonly status: 'failed';
    readonly error: StoredError;
} | {
    readonly status: 'interrupted';
} | {
    readonly status: SuspendedStatus;
    readonly suspended: Suspension;
};

export interface Announcer {
    announce(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
    announceLast(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
    add(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
    stream(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
    later(streamId: string, entries: readonly StreamEntry[], weight: 'live' | 'fact'): void;
    flush(streamId: string): Promise<void>;
    idle(streamId: string): Promise<void>;
    open(streamId: string, creator?: StreamCreator, endedMeanwhile?: EndedMeanwhile): Promise<void>;
    finish(streamId: string, entries: readonly StreamEntry[], how: StreamClose): Promise<void>;
    isCarriedBy(store: SessionStore): boolean;
    carry(write: StreamWrite, commit: (write: StreamWrite) => Promise<boolean>): Promise<boolean>;
    info(streamId: string): Promise<StreamInfo | null>;
    head(streamId: string): number;
    forget(streamId: string): void;
}

export interface AnswerCall {
    readonly key: CallKey;
    readonly outcome: CallOutcomeName;
    readonly answer: CallAnswer;
    readonly answeredBy: string | null;
    readonly now: number;
    readonly only?: {
        readonly kind: OpenCallKind;
        readonly approvalId?: string;
    };
}

export type AnswerCallResult = {
    readonly found: false;
}
 | {
    readonly found: true;
    readonly taken: boolean;
    readonly row: OpenCallRow;
};

export interface AnswerDetails {
    readonly executedInput?: JsonValue;
    readonly editedInput?: JsonValue;
    readonly approvalReason?: string;
    readonly answeredBy?: string;
    readonly answeredAt?: number;
}

export interface AnthropicCacheOptions {
    readonly ttl?: '5m' | '1h';
}

export interface AppliedCacheResult {
    readonly messageOptions: ReadonlyMap<number, JsonObject>;
    readonly toolOptions: ReadonlyMap<number, JsonObject>;
}

export interface ApprovalContext {
    readonly sessionId: string;
    readonly agentType: string;
    readonly toolCallId: string;
    getState<T = unknown>(): T;
}

export interface AssistantMessage {
    readonly role: 'assistant';
    readonly id?: string;
    readonly content: string;
    readonly toolCalls?: readonly ToolCall[];
    readonly thinking?: string;
    readonly providerMetadata?: JsonObject;
}

export interface BaseChunk {
    readonly agentId: string;
    readonly agentType: string;
    readonly timestamp: number;
    readonly step: number;
}

export declare const BaseChunkSchema: z.ZodType<BaseChunk & {
    readonly type: string;
}>;

export declare const CLIENT_TOOL_ERROR_CODES: readonly ['client_tool_timeout', 'aborted', 'runtime_restarted', 'disposed', 'validation_failed'];

export declare const CLIENT_TOOL_WAIT_MS_METRIC = "client_tool_wait_ms";

export interface CacheBreakpoint {
    readonly at: {
        readonly message: number;
    } | {
        readonly tool: number;
    };
    readonly providerOptions: JsonObject;
}

export interface CacheRequest {
    readonly messages: readonly Message[];
    readonly tools: readonly {
        readonly name: string;
    }[];
    readonly provider?: string;
    readonly modelId?: string;
}

export interface CacheStrategy {
    readonly name: string;
    findBreakpoints(request: CacheRequest): readonly CacheBreakpoint[];
}

export type CallAnswer = {
    readonly kind: 'result';
    readonly value: JsonValue;
} | {
    readonly kind: 'error';
    readonly error: string;
} | {
    readonly kind: 'approved';
    readonly input?: JsonValue;
    readonly reason?: string;
} | {
    readonly kind: 'denied';
    readonly reason?: string;
} | {
    readonly kind: 'none';
};

export type CallClass = 'server' | 'client' | 'approval' | 'subagent' | 'finish'
 | 'settled';

export interface CallKey {
    readonly rootId: string;
    readonly toolCallId: string;
    readonly part: string;
}

export type CallOutcome = {
    readonly success: true;
    readonly value: JsonValue;
} | {
    readonly success: false;
    readonly error: ToolErrorDetail;
};

export type CallOutcomeName = 'answered' | 'approved' | 'denied' | 'expired' | 'cancelled' | 'superseded';

export interface CallResult extends AnswerDetails {
    readonly outcome: CallOutcome;
    readonly writes?: readonly StateWrite[];
}

export type CallState = 'open' | 'answered' | 'settled';

export interface CallUpdate {
    readonly key: CallKey;
    readonly set: Partial<Omit<OpenCallRow, keyof CallKey>>;
    readonly onlyIf?: CallState;
}

export interface CanResume {
    readonly canResume: boolean;
    readonly reason?: string;
    readonly state?: SessionRow;
}

export interface CarriedStreams {
    readonly database: object;
    wake(streamId: string): Promise<void>;
}

export interface CarryingSessions {
    readonly database: object;
}

export interface Checkpoint extends CheckpointMeta {
    readonly state: {
        readonly customState: JsonValue;
        readonly messages: readonly Message[];
    };
}

export interface CheckpointMeta {
    readonly id: string;
    readonly sessionId: string;
    readonly runId: string;
    readonly version: number;
    readonly stepId: number;
    readonly stepCount: number;
    readonly status: SessionStatus;
    readonly runStatus: RunStatus;
    readonly messageCount: number;
    readonly streamSequence: number;
    readonly timestamp: number;
}

export interface CheckpointRow {
    readonly sessionId: string;
    readonly version: number;
    readonly checkpointId: string;
    readonly runId: string;
    readonly stepId: number;
    readonly stepCount: number;
    readonly status: RunStatus;
    readonly messageCount: number;
    readonly customState: JsonValue;
    readonly streamSequence: number;
    readonly timestamp: number;
}

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

export interface ChildReferenceRow {
    readonly sessionId: string;
    readonly subSessionId: string;
    readonly agentType: string;
    readonly parentToolCallId: string;
    readonly stepId: number;
    readonly index: number;
    readonly state: ReferenceState;
    readonly continuation: number;
    readonly mode: 'ephemeral' | 'persistent';
    readonly name: string | null;
    readonly closeReason: CloseReason | null;
    readonly startedAt: number;
    readonly completedAt: number | null;
}

export interface ChunkBodies {
    text_delta: {
        readonly delta: string;
    };
    thinking: {
        readonly content: string;
        readonly isComplete: boolean;
    };
    tool_arg_stream_start: {
        readonly toolCallId: string;
        readonly toolName: string;
    };
    tool_arg_stream_delta: {
        readonly toolCallId: string;
        readonly delta: string;
    };
    tool_arg_stream_end: {
        readonly toolCallId: string;
    };
    tool_start: {
        readonly toolCallId: string;
        readonly toolName: string;
        readonly arguments: JsonValue;
        readonly execute?: 'client';
        readonly deadlineAt?: number | null;
    };
    tool_end: {
        readonly toolCallId: string;
        readonly toolName: string;
        readonly success: boolean;
        readonly result?: JsonValue;
        readonly error?: string;
        readonly errorCode?: string;
    };
    tool_error: {
        readonly toolCallId: string;
        readonly toolName: string;
        readonly error: string;
        readonly errorCode: string;
    };
    tool_approval_request: {
        readonly toolCallId: string;
        readonly toolName: string;
        readonly approvalId: string;
        readonly input: JsonValue;
        readonly deadlineAt?: number | null;
    };
    subagent_start: {
        readonly subSessionId: string;
        readonly subAgentType: string;
        readonly toolCallId: string;
    };
    subagent_end: {
        readonly subSessionId: string;
        readonly subAgentType: string;
        readonly toolCallId: string;
        readonly success: boolean;
        readonly result?: JsonValue;
        readonly error?: string;
    };
    state_patch: {
        readonly patches: readonly JsonPatch[];
        readonly writes?: readonly StateWrite[];
    };
    custom: {
        readonly name: string;
        readonly data: JsonValue;
    };
    error: {
        readonly message: string;
        readonly code: string;
        readonly category: string;
        readonly retryable: boolean;
    };
    output: {
        readonly output: JsonValue;
    };
    run_started: {
        readonly runId: string;
        readonly turn: number;
    };
    run_resumed: {
        readonly runId: string;
        readonly turn: number;
        readonly previousRunId: string | null;
    };
    run_suspended: {
        readonly runId: string;
        readonly status: RunStatus;
        readonly toolCallIds: readonly string[];
    };
    run_interrupted: {
        readonly runId: string;
        readonly reason: string | null;
    };
    run_completed: {
        readonly runId: string;
    };
    run_failed: {
        readonly runId: string;
        readonly code: string;
        readonly message: string;
    };
    step_committed: {
        readonly version: number;
        readonly messageCount: number;
    };
    step_discarded: {
        readonly reason: string;
    };
    stream_resync: {
        readonly reason: string;
        readonly details?: JsonObject;
    };
}

export type ChunkOf<T extends ChunkType> = BaseChunk & {
    readonly type: T;
} & ChunkBodies[T];

export type ChunkType = keyof ChunkBodies;

export type ClientToolErrorCode = (typeof CLIENT_TOOL_ERROR_CODES)[number];

export interface Clock {
    now(): number;
    setTimer(ms: number, callback: () => void): () => void;
}

export type CloseReason = 'aborted' | 'superseded' | 'timeout' | 'failed';

export interface CommitGuard {
    readonly sessions?: readonly SessionGuard[];
    readonly callsOpen?: readonly CallKey[];
    readonly calls?: readonly {
        readonly key: CallKey;
        readonly state: CallState;
        readonly outcome: CallOutcomeName;
    }[];
    readonly references?: readonly {
        readonly sessionId: string;
        readonly subSessionId: string;
        readonly state: ReferenceState;
    }[];
    readonly journalAbsent?: readonly Pick<JournalRow, 'sessionId' | 'stepId' | 'index' | 'kind'>[];
    readonly interruptsAbsent?: readonly {
        readonly sessionId: string;
        readonly runId: string;
    }[];
}

export interface CommitInserts {
    readonly sessions?: readonly SessionRow[];
    readonly messages?: readonly MessageRow[];
    readonly journal?: readonly JournalRow[];
    readonly calls?: readonly OpenCallRow[];
    readonly references?: readonly ChildReferenceRow[];
    readonly checkpoints?: readonly CheckpointRow[];
    readonly runs?: readonly RunRow[];
    readonly usage?: readonly UsageRow[];
}

export type CommitKind = 'create' | 'claim' | 'lease' | 'record' | 'step' | 'suspend' | 'end' | 'answer' | 'abandon' | 'edit';

export interface CommitPlan {
    readonly kind: CommitKind;
    readonly rootId: string;
    readonly commitId: string;
    readonly now: number;
    readonly guard: CommitGuard;
    readonly sessions?: readonly SessionUpdate[];
    readonly insert?: CommitInserts;
    readonly update?: CommitUpdates;
    readonly remove?: CommitRemovals;
    readonly stream?: StreamWrite;
}

export interface CommitRemovals {
    readonly journal?: readonly {
        readonly sessionId: string;
        readonly stepId: number;
    }[];
    readonly interrupts?: readonly {
        readonly sessionId: string;
        readonly runId: string;
    }[];
    readonly messagesAfter?: readonly {
        readonly sessionId: string;
        readonly sequence: number;
    }[];
    readonly checkpointsAfter?: readonly {
        readonly sessionId: string;
        readonly version: number;
    }[];
}

export interface CommitUpdates {
    readonly calls?: readonly CallUpdate[];
    readonly references?: readonly ReferenceUpdate[];
    readonly runs?: readonly RunUpdate[];
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

export declare const DEFAULT_APPROVAL_TIMEOUT_MS: number;

export declare const DEFAULT_CLIENT_TOOL_TIMEOUT_MS = 300000;

export declare const DEFAULT_LIMITS: EngineLimits;

export declare const DEFAULT_MAX_STEPS = 20;

export declare const DEFAULT_SUBMIT_MAX_RESULT_BYTES = 1048576;

export declare const DEFAULT_TOMBSTONE_RETENTION_MS: number;

export interface Databases {
    of(ref: SessionRef): SessionStore;
}

export declare class DefinitionError extends HelixError {
    readonly name: string;
    constructor(message: string, cause?: unknown);
    static isInstance(value: unknown): value is DefinitionError;
}

export interface DeleteGuard {
    readonly version: number;
}

export type DescribeError = (code: string, english?: string) => string;

export type Done = {
    readonly ok: true;
} | Refusal;

export interface DrivenRun {
    readonly outcome: RunOutcome;
    readonly ended: EndedRun | null;
}

export interface DueWork {
    readonly overdueRoots: readonly string[];
    readonly deadRoots: readonly SessionRow[];
    readonly remindableRoots: readonly string[];
    readonly answeredRoots: readonly SessionRow[];
    readonly closing: readonly {
        readonly parent: SessionRef;
        readonly subSessionId: string;
    }[];
    readonly purgeableRoots: readonly string[];
}

export type Durability = 'call' | 'step';

export interface EndedRun {
    readonly session: SessionRow;
    readonly openCalls: readonly OpenCallRow[];
    readonly isSaid?: boolean;
}

export interface EngineContext {
    readonly databases: Databases;
    readonly announcer: Announcer;
    readonly model: LLMAdapter;
    readonly clock: Clock;
    readonly newId: () => string;
    readonly identity: OwnerIdentity;
    readonly logger: Logger;
    readonly limits: EngineLimits;
    readonly describeError: DescribeError;
    readonly transcripts: TranscriptCache;
    readonly memory: StepMemory | null;
    isDriving(sessionId: string, epoch: number): boolean;
    hooksFor(session: SessionRow): readonly AgentHooks[];
    readonly agents: SessionAgents;
}

export interface EngineLimits {
    readonly maxToolResultBytes: number;
    readonly approvalPredicateMs: number;
    readonly maxRecoveries: number;
    readonly hookTimeoutMs: number;
    readonly pollMs: number;
}

export type ErrorCode = ClientToolErrorCode | (typeof ERROR_CODES)[number];

export interface ExecuteOptions {
    readonly sessionId?: string;
    readonly ifExists?: 'continue' | 'reject';
    readonly userId?: string;
    readonly tags?: readonly string[];
    readonly metadata?: {
        readonly [key: string]: string;
    };
    readonly onMessageWhileSuspended?: 'reject' | 'supersede';
    readonly durability?: Durability;
    readonly hooks?: AgentHooks;
    readonly hookManager?: HookManager;
}

export interface ExecutorHost<Runs extends HostedRuns> extends Omit<HostTraits, 'isDriving'> {
    createRuns(ctx: EngineContext, directory: AgentDirectory): Runs;
    readonly runsElsewhere?: boolean;
    readonly directory?: AgentDirectory | undefined;
}

export interface ExecutorOptions {
    readonly logger?: Logger;
    readonly agentRegistry?: AgentRegistryLike;
    readonly usageStore?: UsageStore;
    readonly hooks?: AgentHooks;
    readonly submitToolResultSchema?: SubmitToolResultSchema;
    readonly describeError?: (code: string) => string;
    readonly limits?: Partial<EngineLimits>;
    readonly clock?: Clock;
    readonly newId?: () => string;
}

export interface ExecutorParts extends ExecutorOptions {
    readonly stateStore: StateStore;
    readonly streamManager: StreamManager;
    readonly llmAdapter?: LLMAdapter;
}

export type ExpectedStatus = SessionStatus | 'paused';

export declare const FINISH_TOOL_NAME = "__finish__";

export interface FacadeOptions {
    readonly now?: () => number;
    readonly newId?: () => string;
}

export type FullStreamManager = Required<StreamManager>;

export interface FunctionModel extends LLMAdapter {
    readonly calls: readonly RecordedCall[];
}

export declare const HOOK_TABLE: Readonly<Record<HookName, HookRow>>;

export interface HandleParts {
    readonly ctx: EngineContext;
    readonly client: SessionClient;
    readonly stops: Pick<AgentExecutor, 'interrupt' | 'abort'>;
    readonly streams: StreamManager;
    readonly usage: UsageStore | undefined;
    readonly local: (run: LoopRun) => Promise<EndedRun | null> | null;
    readonly untilEnd?: (run: LoopRun) => Promise<void> | undefined;
}

export declare class HelixError extends Error {
    readonly name: string;
    readonly code: ErrorCode | (string & {});
    readonly retryable: boolean;
    readonly category: string;
    readonly statusCode?: number;
    constructor(options: HelixErrorOptions);
    static isInstance(value: unknown): value is HelixError;
}

export interface HelixErrorOptions {
    readonly message: string;
    readonly code: ErrorCode | (string & {});
    readonly retryable?: boolean;
    readonly statusCode?: number;
    readonly cause?: unknown;
    readonly category?: string;
}

export declare class HelixPayloadTooLargeError extends HelixError {
    readonly name: string;
    readonly maxBytes: number | null;
    constructor(options?: {
        readonly maxBytes?: number | null;
        readonly message?: string;
    });
    static isInstance(value: unknown): value is HelixPayloadTooLargeError;
}

export declare class HelixStreamError extends HelixError {
    readonly name: string;
    static fromEvent(event: unknown): HelixStreamError;
}

export interface HookContext {
    readonly sessionId: string;
    readonly runId: string;
    readonly agentType: string;
    readonly streamId: string;
    readonly stepId: number;
    readonly stepCount: number;
    readonly epoch: number;
    readonly parentAgentId?: string;
    readonly userId?: string;
    readonly tags: readonly string[];
    readonly metadata: JsonObject;
    readonly abortSignal: AbortSignal;
    getState<T = unknown>(): T;
    updateState<T = unknown>(change: (draft: T) => void): void;
    emit(chunk: StreamChunk): Promise<void>;
    emitCustom(name: string, data: JsonValue): Promise<void>;
}

export interface HookManager {
    readonly hooks: readonly AgentHooks[];
}

export type HookName = keyof HookPayloads;

export interface HookPayloads {
    onAgentStart: {
        readonly agent: AgentConfig;
        readonly input: readonly Message[];
        readonly initialState: JsonValue;
    };
    onAgentResumed: {
        readonly sessionId: string;
        readonly runId: string;
        readonly previousRunId: string | null;
        readonly resumedFromCheckpointId: string | null;
    };
    onAgentSuspended: {
        readonly reason: 'client_tool' | 'awaiting_children';
        readonly status: SuspendedStatus;
        readonly toolCallIds: readonly string[];
    };
    onAgentComplete: {
        readonly output: JsonValue;
        readonly finalState: JsonValue;
        readonly stepCount: number;
        readonly durationMs: number;
    };
    onAgentFail: {
        readonly error: StoredError;
        readonly stepCount: number;
        readonly durationMs: number;
    };
    beforeLLMCall: {
        readonly messages: readonly Message[];
        readonly tools: readonly LLMTool[];
    };
    afterLLMCall: {
        readonly result: StepResult;
        readonly durationMs: number;
    };
    beforeTool: CallPayload & {
        readonly tool: Tool;
        readonly input: JsonValue;
        readonly attempt: string;
    };
    onStateChange: CallPayload & {
        readonly writes: readonly StateWrite[];
        readonly state: JsonValue;
    };
    onMessage: {
        readonly message: Message;
    };
    afterTool: CallPayload & AnswerDetails & {
        readonly outcome: CallOutcome;
    };
    beforeSubAgent: CallPayload & {
        readonly subSessionId: string;
        readonly subAgentType: string;
    };
    afterSubAgent: CallPayload & {
        readonly subAgentType: string;
        readonly outcome: CallOutcome;
    };
    onCallReminder: {
        readonly call: OpenCallRow;
    };
}

export interface HookRow {
    readonly operation: 'begin' | 'think' | 'tool' | 'start child' | 'settle' | 'end' | 'sweep';
    readonly when: 'before' | 'after';
}

export interface Host {
    begin(run: LoopRun): Promise<Done>;
    settle(run: LoopRun): Promise<SettleResult>;
    think(run: LoopRun): Promise<ThinkResult>;
    dispatch(run: LoopRun, calls: readonly PlanEntry[]): Promise<Done>;
    shouldYield(run: LoopRun): Promise<boolean>;
    handover(run: LoopRun): Promise<Done>;
    end(run: LoopRun): Promise<RunOutcome>;
}

export interface HostTraits {
    readonly hostKind: string;
    readonly leaseMs: number | null;
    readonly databases?: Databases | undefined;
    readonly memory: StepMemory | null;
    readonly isDriving: EngineContext['isDriving'];
}

export interface HostedRuns extends RunStarter {
    local(run: LoopRun): Promise<EndedRun | null> | null;
    untilEnd?(run: LoopRun): Promise<void>;
    notify(sessionId: string): void;
    isDriving?: EngineContext['isDriving'];
}

export declare class ImmerStateTracker<T = unknown> {
    constructor(initial: T, options?: {
        readonly arrayDeltaMode?: boolean;
    });
    getState(): T;
    update(change: (draft: T) => void): void;
    getStepWrites(): StateWrite[];
    getRFC6902Patches(): JsonPatch[];
    resetTracking(): void;
}

export type InferAgentOutput<A> = A extends AgentConfig<infer _State, infer Output> ? InferSchema<Output> : never;

export type InferAgentState<A> = A extends AgentConfig<infer State, infer _Output> ? InferSchema<State> : never;

export type InferSchema<S> = S extends {
    readonly '~standard': {
        readonly types?: (infer T) | undefined;
    };
} ? NonNullable<T> extends {
    readonly output: infer O;
} ? O : unknown : unknown;

export type InferSchemaInput<S> = S extends {
    readonly '~standard': {
        readonly types?: (infer T) | undefined;
    };
} ? NonNullable<T> extends {
    readonly input: infer I;
} ? I : unknown : unknown;

export type InferToolInput<T> = T extends Tool<infer Input, infer _Output> ? Input : never;

export type InferToolOutput<T> = T extends Tool<infer _Input, infer Output> ? Output : never;

export interface InterruptFlag {
    readonly interrupted: true;
    readonly reason: string | null;
    readonly timestamp: number;
}

export type InterruptResult = 
{
    readonly status: 'requested';
    readonly runId: string;
}
 | {
    readonly status: 'interrupted';
    readonly runId: string;
}
 | {
    readonly status: 'too_late';
};

export interface InterruptRow {
    readonly sessionId: string;
    readonly runId: string;
    readonly reason: string | null;
    readonly timestamp: number;
}

export declare class InvalidRequestError extends HelixError {
    readonly name: string;
    readonly details: readonly Issue[];
    constructor(details: readonly Issue[], message?: string);
    static isInstance(value: unknown): value is InvalidRequestError;
}

export declare class InvalidResultError extends HelixError {
    readonly name: string;
    readonly toolName: string;
    readonly toolCallId: string;
    readonly issues: readonly Issue[];
    constructor(options: {
        readonly toolName: string;
        readonly toolCallId: string;
        readonly issues: readonly Issue[];
    });
    static isInstance(value: unknown): value is InvalidResultError;
}

export interface Issue {
    readonly path: string;
    readonly message: string;
}

export type JournalKind = JournalRow['kind'];

export type JournalRow = {
    readonly sessionId: string;
    readonly stepId: number;
    readonly index: number;
    readonly createdAt: number;
} & ({
    readonly kind: 'plan';
    readonly data: StepPlan;
} | {
    readonly kind: 'start';
    readonly data: {
        readonly attempt: string;
    };
} | {
    readonly kind: 'result';
    readonly data: CallResult;
});

export type JsonConversion = {
    readonly ok: true;
    readonly value: JsonValue;
    readonly bytes: number;
} | {
    readonly ok: false;
    readonly reason: string;
};

export type JsonObject = {
    readonly [key: string]: JsonValue | undefined;
};

export type JsonPatch = {
    readonly op: 'add' | 'replace';
    readonly path: string;
    readonly value: JsonValue;
} | {
    readonly op: 'remove';
    readonly path: string;
};

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | {
    readonly [key: string]: JsonValue | undefined;
};

export declare const KNOWN_ERROR_CODES: ReadonlySet<string>;

export interface LLMAdapter {
    generateStep(input: LLMGenerateInput): Promise<StepResult>;
}

export interface LLMCallbacks {
    onTextDelta(delta: string): Promise<void> | void;
    onThinking(content: string, isComplete: boolean): Promise<void> | void;
    onToolInputStart(call: {
        index: number;
        id: string;
        name: string;
    }): Promise<void> | void;
    onToolInputDelta(call: {
        index: number;
        delta: string;
    }): Promise<void> | void;
}

export interface LLMConfig {
    readonly model: unknown;
    readonly maxOutputTokens?: number;
    readonly temperature?: number;
    readonly topP?: number;
    readonly topK?: number;
    readonly presencePenalty?: number;
    readonly frequencyPenalty?: number;
    readonly stopSequences?: readonly string[];
    readonly seed?: number;
    readonly maxRetries?: number;
    readonly maxRetryDelayMs?: number;
    readonly headers?: {
        readonly [name: string]: string;
    };
    readonly providerOptions?: JsonObject;
    readonly strictOutput?: boolean;
    readonly toolChoice?: 'auto' | 'required' | 'none' | {
        readonly toolName: string;
    };
    readonly cache?: CacheStrategy | readonly CacheStrategy[];
}

export interface LLMGenerateInput {
    readonly messages: readonly Message[];
    readonly tools: readonly LLMTool[];
    readonly config: LLMConfig;
    readonly abortSignal: AbortSignal;
    readonly callbacks: LLMCallbacks;
    readonly agentId: string;
    readonly agentType: string;
    readonly outputSchema?: JsonObject;
}

export interface LLMTool {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: JsonObject;
    readonly strict?: boolean;
}

export interface LLMToolCall {
    readonly id: string;
    readonly name: string;
    readonly arguments: JsonValue;
    readonly invalidArguments?: string;
}

export declare const LOG_PAGE = 256;

export declare const LOG_PAGE_BYTES = 65536;

export declare const LOOP_VERSION = 1;

export interface LeaseState {
    readonly owned: boolean;
    readonly interrupted: boolean;
}

export type ListPosition = readonly [number, ...string[]];

export interface LocalDriver {
    readonly ctx: EngineContext;
    readonly operations: Operations;
    readonly runLoop: typeof runSession;
    open(run: LoopRun): RunWatch;
    close(run: LoopRun, watch: RunWatch): void;
    notify(sessionId: string): void;
    shouldYield(): boolean;
    readonly attempts: number;
}

export interface LockLease {
    readonly key: string;
    readonly token: number;
    renew(ttlMs: number): Promise<boolean>;
    release(): Promise<boolean>;
}

export interface LockManager {
    acquire(key: string, options: {
        readonly ttlMs: number;
    }): Promise<LockLease | null>;
}

export interface LogPage {
    readonly status: StreamStatus;
    readonly head: number;
    readonly chunks: readonly StoredChunk[];
}

export interface LogSource {
    page(after: number, limit: number): Promise<LogPage | null>;
    subscribe(listener: () => void): () => void;
    readonly pollMs: number;
}

export interface Logger {
    info(message: string, data?: object): void;
    warn(message: string, data?: object): void;
    error(message: string, data?: object): void;
    debug?(message: string, data?: object): void;
}

export interface LoopRun {
    readonly rootId: string;
    readonly sessionId: string;
    readonly runId: string;
    readonly epoch: number;
    readonly agentType: string;
    readonly loopVersion: number;
    readonly goesOn?: true;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface MessageFile {
    readonly data: string;
    readonly mediaType: string;
    readonly filename?: string;
}

export interface MessageRow {
    readonly sessionId: string;
    readonly sequence: number;
    readonly message: Message;
    readonly createdAt: number;
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

export declare class MockLLMAdapter implements LLMAdapter {
    readonly calls: RecordedCall[];
    constructor(steps?: readonly ScriptedStep[], options?: ScriptOptions);
    push(...steps: readonly ScriptedStep[]): void;
    generateStep(input: LLMGenerateInput): Promise<StepResult>;
}

export declare class NoOpLockManager implements LockManager {
    acquire(key: string): Promise<LockLease>;
}

export declare class NotResumableError extends HelixError {
    readonly name: string;
    readonly sessionId: string;
    readonly reason: string;
    constructor(sessionId: string, reason: string);
    static isInstance(value: unknown): value is NotResumableError;
}

export declare class NotRootSessionError extends HelixError {
    readonly name: string;
    readonly sessionId: string;
    readonly rootId: string;
    constructor(sessionId: string, rootId: string);
    static isInstance(value: unknown): value is NotRootSessionError;
}

export interface ObjectFirstLogger {
    child(bindings: object): ObjectFirstLogger;
    info(data: object, message: string): void;
    warn(data: object, message: string): void;
    error(data: object, message: string): void;
    debug(data: object, message: string): void;
}

export interface OpenCallFilter {
    readonly rootSessionId?: string;
    readonly userId?: string;
    readonly agentType?: string;
    readonly kind?: OpenCallKind;
    readonly toolName?: string;
    readonly dueBefore?: number;
    readonly limit?: number;
    readonly cursor?: string;
}

export type OpenCallKind = 'client' | 'approval' | 'ask';

export interface OpenCallRow extends CallKey {
    readonly kind: OpenCallKind;
    readonly ownerSessionId: string;
    readonly ownerStepId: number;
    readonly ownerIndex: number;
    readonly route: readonly string[];
    readonly ownerAgentType: string;
    readonly toolName: string;
    readonly input: JsonValue;
    readonly inputHash: string;
    readonly approvalId: string | null;
    readonly timeoutMs: number | null;
    readonly deadlineAt: number | null;
    readonly remindAt: number | null;
    readonly state: CallState;
    readonly outcome: CallOutcomeName | null;
    readonly answer: CallAnswer | null;
    readonly answeredBy: string | null;
    readonly answeredAt: number | null;
    readonly settledAt: number | null;
    readonly purgeAt: number | null;
    readonly retentionMs: number;
    readonly userId: string | null;
    readonly openedAt: number;
}

export interface OperationScope {
    readonly signal: AbortSignal;
    readonly stopReason?: () => StopReason | null;
    readonly mayStream?: () => Promise<boolean>;
    readonly attempt?: number;
}

export interface OperationSeams {
    readonly databases?: Databases;
    readonly wrapOperations?: (operations: Operations) => Operations;
}

export interface Operations {
    begin(run: LoopRun): Promise<Done>;
    settle(run: LoopRun, scope?: Pick<OperationScope, 'attempt'>): Promise<SettleResult>;
    think(run: LoopRun, scope: OperationScope): Promise<ThinkResult>;
    tool(run: LoopRun, call: PlanEntry, scope: OperationScope): Promise<Done>;
    startChild(run: LoopRun, index: number): Promise<StartedChild>;
    collectChild(run: LoopRun, index: number): Promise<Done>;
    giveUpChild(run: LoopRun, index: number, reason: GiveUpReason, detail?: string): Promise<Done>;
    fail(run: LoopRun, error: HelixError): Promise<void>;
    handover(run: LoopRun): Promise<Done>;
    end(run: LoopRun): Promise<RunOutcome>;
}

export interface OwnerIdentity {
    readonly hostKind: string;
    readonly owner: string;
    readonly leaseMs: number | null;
}

export interface Page<T> {
    readonly items: readonly T[];
    readonly cursor: string | null;
}

export type ParseResult<Output = unknown> = {
    readonly ok: true;
    readonly value: Output;
} | {
    readonly ok: false;
    readonly issues: readonly Issue[];
};

export interface PendingClientToolCall {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly kind: OpenCallKind;
    readonly input: JsonValue;
    readonly approvalId: string | null;
    readonly deadlineAt: number | null;
    readonly openedAt: number;
    readonly submittedAt?: number;
    readonly outcome?: CallOutcomeName;
    readonly response?: CallAnswer;
}

export interface PlanEntry {
    readonly index: number;
    readonly callId: string;
    readonly class: 'server' | 'approval' | 'subagent' | 'finish';
    readonly timeoutMs: number | null;
    readonly execution: 'retry' | 'once';
}

export interface PlannedCall {
    readonly index: number;
    readonly callId: string;
    readonly toolName: string;
    readonly class: CallClass;
    readonly execution: ToolExecution;
    readonly timeoutMs: number | null;
    readonly input: JsonValue;
    readonly child?: {
        readonly agentType: string;
        readonly sessionId: string;
    };
    readonly result?: CallResult;
}

export interface PromoteOptions {
    readonly stepId: number;
    readonly messages?: readonly Message[];
}

export interface Promoted {
    readonly newVersion: number;
    readonly checkpointId: string;
}

export interface PruneOptions {
    readonly olderThan: number;
    readonly statuses?: readonly RestingStatus[];
    readonly limit?: number;
    readonly cursor?: string;
}

export interface PruneSummary {
    readonly pruned: number;
    readonly cursor: string | null;
}

export declare const RESERVED_TOOL_NAMES: readonly string[];

export declare const RESERVED_TOOL_NAME_PREFIXES: readonly string[];

export type RecordedCall = Omit<LLMGenerateInput, 'abortSignal' | 'callbacks'>;

export interface RecoverOptions {
    readonly autoResume?: boolean;
}

export type ReferenceState = 'live' | 'closing' | 'closed';

export interface Refusal {
    readonly ok: false;
    readonly code: string;
}

export interface RenewLease extends SessionRef {
    readonly epoch: number;
    readonly owner: string;
    readonly extendMs: number | null;
    readonly now: number;
}

export type RequireApproval<Input = unknown> = boolean | ((input: Input, context: ApprovalContext) => boolean | Promise<boolean>);

export type RestingStatus = 'completed' | 'failed' | 'interrupted';

export interface ResumeOptions {
    readonly mode?: 'continue' | 'with_message';
    readonly message?: string | readonly UserInputMessage[];
    readonly onMessageWhileSuspended?: 'reject' | 'supersede';
    readonly checkpointId?: string;
    readonly ifRunning?: 'reject' | 'attach';
}

export declare class RoutingMockLLMAdapter implements LLMAdapter {
    readonly calls: RecordedCall[];
    constructor(options?: ScriptOptions);
    setResponses(agentType: string, steps: readonly ScriptedStep[]): void;
    generateStep(input: LLMGenerateInput): Promise<StepResult>;
}

export interface RunOutcome {
    readonly status: RunOutcomeStatus;
}

export type RunOutcomeStatus = 'completed' | 'failed' | 'interrupted' | 'suspended_client_tool' | 'suspended_awaiting_children' | 'suspended_step_partial'
 | 'stale'
 | 'handover';

export interface RunRow {
    readonly runId: string;
    readonly sessionId: string;
    readonly turn: number;
    readonly status: RunStatus;
    readonly trigger: RunTrigger;
    readonly stepCount: number;
    readonly previousRunId: string | null;
    readonly fromCheckpointId: string | null;
    readonly startSequence: number;
    readonly startedAt: number;
    readonly completedAt: number | null;
}

export interface RunStarter {
    start(run: LoopRun): Promise<void>;
    finish(run: LoopRun): Promise<void>;
    judge?(session: SessionRow): Promise<SessionRow>;
    findLost?(index: SessionIndex, page: SweepPage): Promise<readonly SessionRow[]>;
}

export type RunStatus = 'running' | 'completed' | 'failed' | 'interrupted' | SuspendedStatus;

export type RunTrigger = 'execute' | 'resume' | 'retry' | 'child';

export interface RunWatch {
    readonly scope: OperationScope;
    readonly stopReason: () => StopReason | null;
    stop(reason: StopReason): void;
    check(): void;
    close(): void;
}

export declare const SUBAGENT_TOOL_PREFIX = "subagent__";

export declare const SUBMIT_SCHEMA_LIMITS: unique symbol;

export type SavedState = Pick<SessionState<unknown>, 'version'> & Partial<SessionState<unknown>>;

export interface Schema<Output = unknown> {
    readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => unknown;
        readonly types?: {
            readonly input: unknown;
            readonly output: Output;
        } | undefined;
    };
}

export interface ScriptOptions {
    readonly delayMs?: number;
    readonly streamDelayMs?: number;
    readonly chunkSize?: number;
    readonly strict?: boolean;
}

export type ScriptedStep = StepResult | Error | ((input: LLMGenerateInput) => StepResult | Promise<StepResult>);

export declare class SessionClient {
    constructor(ctx: EngineContext, starter: RunStarter);
    execute(agent: AgentConfig, input: AgentInput, options: ExecuteOptions, overrides?: RunOverrides): Promise<LoopRun>;
    resume(sessionId: string, options: ResumeOptions, given?: AgentConfig): Promise<LoopRun>;
    branch(sourceId: string, options: {
        readonly checkpointId?: string;
        readonly sessionId?: string;
    }): Promise<{
        readonly sessionId: string;
    }>;
    retry(sessionId: string, given?: AgentConfig): Promise<LoopRun>;
    canResume(sessionId: string, given?: AgentConfig): Promise<CanResume>;
    submit(submission: SubmitToolResult, answeredBy?: string): Promise<SubmitOutcome>;
    cancel(call: {
        sessionId: string;
        toolCallId: string;
    }, answeredBy?: string): Promise<SubmitOutcome>;
    interrupt(sessionId: string, reason?: string): Promise<InterruptResult>;
    abort(sessionId: string, reason?: string): Promise<AbortResult>;
    attach(sessionId: string): Promise<SessionRow | null>;
}

export declare class SessionExecutor<Runs extends HostedRuns = HostedRuns> implements AgentExecutor {
    protected readonly runs: Runs;
    protected constructor(parts: ExecutorParts, host: ExecutorHost<Runs>);
    execute<Agent extends AgentConfig>(agent: Agent, input: AgentInput, options?: ExecuteOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    resume<Agent extends AgentConfig>(agent: Agent, sessionId: string, options?: ResumeOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    resume(target: ResumeTarget | AgentConfig, second?: string | ResumeOptions, third?: ResumeOptions): Promise<AgentExecutionHandle>;
    retry<Agent extends AgentConfig>(agent: Agent, sessionId: string): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    retry(target: string | AgentConfig | {
        readonly sessionId: string;
    }, second?: string): Promise<AgentExecutionHandle>;
    submitToolResult(submission: SubmitToolResultInput, options?: SubmitOptions): Promise<SubmitOutcome>;
    branchSession(sessionId: string, options?: {
        readonly checkpointId?: string;
        readonly sessionId?: string;
    }): Promise<{
        readonly sessionId: string;
    }>;
    cancelOpenCall(call: {
        readonly sessionId: string;
        readonly toolCallId: string;
    }, options?: {
        answeredBy?: string;
    }): Promise<SubmitOutcome>;
    interrupt(sessionId: string, reason?: string): Promise<InterruptResult>;
    abort(sessionId: string, reason?: string): Promise<AbortResult>;
    getHandle<Agent extends AgentConfig>(agent: Agent, sessionId: string): Promise<AgentExecutionHandle<InferAgentOutput<Agent>> | null>;
    canResume(target: string | AgentConfig, second?: string): Promise<CanResume>;
    listSessions(filter?: SessionFilter): Promise<Page<SessionRow>>;
    listOpenCalls(filter?: OpenCallFilter): Promise<Page<OpenCallRow>>;
    listRuns(sessionId: string): Promise<{
        readonly runs: readonly RunRow[];
    }>;
    getCurrentRun(sessionId: string): Promise<RunRow | null>;
    sweep(): Promise<SweepSummary>;
    supervise(options?: SuperviseOptions): () => Promise<void>;
    protected stopRecovery(withinMs: number): Promise<void>;
    recover(options?: RecoverOptions): Promise<void>;
    pruneSessions(options: PruneOptions): Promise<PruneSummary>;
    trimStreams(options: TrimOptions): Promise<TrimSummary>;
}

export declare class SessionExistsError extends HelixError {
    readonly name: string;
    readonly sessionId: string;
    constructor(sessionId: string);
    static isInstance(value: unknown): value is SessionExistsError;
}

export interface SessionFilter {
    readonly status?: readonly RunStatus[];
    readonly agentType?: string;
    readonly userId?: string;
    readonly tags?: readonly string[];
    readonly metadata?: JsonObject;
    readonly rootsOnly?: boolean;
    readonly limit?: number;
    readonly cursor?: string;
}

export interface SessionGuard {
    readonly sessionId: string;
    readonly absent?: true;
    readonly version?: number;
    readonly epoch?: number;
    readonly stepId?: number;
    readonly records?: number;
    readonly status?: readonly RunStatus[];
    readonly leaseExpired?: true;
}

export interface SessionIndex {
    listSessions(filter?: SessionFilter): Promise<Page<SessionRow>>;
    listOpenCalls(filter?: OpenCallFilter): Promise<Page<OpenCallRow>>;
    findDue(input: {
        readonly now: number;
        readonly hostKind: string;
        readonly limit: number;
        readonly except?: readonly string[];
    }): Promise<DueWork>;
}

export declare class SessionNotFoundError extends HelixError {
    readonly name: string;
    readonly sessionId: string;
    constructor(sessionId: string);
    static isInstance(value: unknown): value is SessionNotFoundError;
}

export interface SessionRef {
    readonly rootId: string;
    readonly sessionId: string;
}

export interface SessionRow extends SessionRef {
    readonly parentSessionId: string | null;
    readonly parentStepId: number | null;
    readonly parentIndex: number | null;
    readonly agentType: string;
    readonly streamId: string;
    readonly version: number;
    readonly epoch: number;
    readonly records: number;
    readonly status: RunStatus;
    readonly runId: string;
    readonly turn: number;
    readonly started: boolean;
    readonly hostKind: string;
    readonly engineId: string | null;
    readonly leaseOwner: string | null;
    readonly leaseUntil: number | null;
    readonly recoveries: number;
    readonly stepId: number;
    readonly stepCount: number;
    readonly stepMessage: number | null;
    readonly messageCount: number;
    readonly customState: JsonValue;
    readonly output: JsonValue | null;
    readonly error: StoredError | null;
    readonly failureReason: string | null;
    readonly closed: boolean;
    readonly lastCommit: string;
    readonly resumeCount: number;
    readonly userId: string | null;
    readonly tags: readonly string[];
    readonly metadata: JsonObject;
    readonly createdAt: number;
    readonly updatedAt: number;
}

export interface SessionState<State = JsonValue> {
    readonly sessionId: string;
    readonly agentType: string;
    readonly streamId: string;
    readonly parentSessionId: string | null;
    readonly rootSessionId: string;
    readonly runId: string | null;
    readonly stepId: number;
    readonly stepCount: number;
    readonly messageCount: number;
    readonly status: SessionStatus;
    readonly runStatus: RunStatus;
    output: JsonValue | null;
    readonly error: StoredError | null;
    readonly failureReason: string | null;
    readonly aborted: boolean;
    readonly abortReason: string | null;
    customState: State;
    userId: string | null;
    tags: string[];
    metadata: JsonObject;
    readonly version: number;
    readonly resumeCount: number;
    readonly pendingClientToolCalls: {
        readonly [toolCallId: string]: PendingClientToolCall;
    };
    readonly completedClientToolCalls: {
        readonly [toolCallId: string]: CompletedClientToolCall;
    };
    readonly clientToolCallOwnership: {
        readonly [toolCallId: string]: string;
    };
    readonly createdAt: number;
    readonly updatedAt: number;
}

export interface SessionStateStore {
    createSession(sessionId: string, options?: CreateSessionOptions): Promise<SessionState>;
    sessionExists(sessionId: string): Promise<boolean>;
    deleteSession(sessionId: string): Promise<void>;
    deleteState(sessionId: string): Promise<void>;
    loadState<State = JsonValue>(sessionId: string): Promise<SessionState<State> | null>;
    saveState(sessionId: string, state: SavedState): Promise<Written>;
    updateStatus(sessionId: string, status: SessionStatus, options?: SetStatusOptions): Promise<Written>;
    compareAndSetStatus(sessionId: string, expected: readonly ExpectedStatus[], next: SessionStatus, options?: CompareAndSetOptions): Promise<CompareAndSetResult>;
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
    getCheckpoint(sessionId: string, checkpointId: string): Promise<Checkpoint | null>;
    getCheckpoint(checkpointId: string): Promise<Checkpoint | null>;
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
    updateStatus(sessionId: string, status: SessionStatus, options?: SetStatusOptions): Promise<Written>;
    compareAndSetStatus(sessionId: string, expected: readonly ExpectedStatus[], next: SessionStatus, options?: CompareAndSetOptions): Promise<CompareAndSetResult>;
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

export type SessionStatus = 'active' | 'interrupted' | 'completed' | 'failed';

export interface SessionStore {
    readSession(ref: SessionRef): Promise<SessionRow | null>;
    readStep(ref: SessionRef): Promise<StepRows | null>;
    readMessages(ref: SessionRef, range?: {
        readonly after?: number;
        readonly limit?: number;
    }): Promise<readonly MessageRow[]>;
    readCalls(rootId: string, filter?: {
        readonly toolCallId?: string;
    }): Promise<readonly OpenCallRow[]>;
    readReferences(ref: SessionRef): Promise<readonly ChildReferenceRow[]>;
    readRuns(ref: SessionRef, range?: {
        readonly last?: number;
    }): Promise<readonly RunRow[]>;
    readCheckpoints(ref: SessionRef, range?: {
        readonly before?: number;
        readonly limit?: number;
    }): Promise<readonly CheckpointRow[]>;
    commit(plan: CommitPlan): Promise<boolean>;
    answerCall(input: AnswerCall): Promise<AnswerCallResult>;
    expireCalls(rootId: string, now: number): Promise<readonly OpenCallRow[]>;
    takeReminders(rootId: string, now: number): Promise<readonly OpenCallRow[]>;
    purgeCalls(rootId: string, now: number): Promise<number>;
    requestInterrupt(ref: SessionRef, reason: string | null, now: number): Promise<InterruptRow | null>;
    renewLease(input: RenewLease): Promise<LeaseState>;
    deleteSession(ref: SessionRef, guard?: DeleteGuard): Promise<boolean>;
}

export declare class SessionSuspendedError extends HelixError {
    readonly name: string;
    readonly sessionId: string;
    readonly toolCallIds: readonly string[];
    constructor(sessionId: string, toolCallIds: readonly string[]);
    static isInstance(value: unknown): value is SessionSuspendedError;
}

export interface SessionUpdate {
    readonly sessionId: string;
    readonly set?: Partial<Omit<SessionRow, 'sessionId' | 'rootId' | 'version' | 'records' | 'createdAt'>>;
    readonly raise?: {
        readonly version?: true;
        readonly records?: true;
    };
}

export interface SetStatusOptions {
    readonly error?: string | StoredError;
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

export interface StagedChanges {
    readonly toolCallId: string;
    readonly patches?: readonly JsonPatch[];
    readonly writes?: readonly StateWrite[];
    readonly timestamp?: number;
}

export declare class StaleStateError extends HelixError {
    readonly name: string;
    constructor(options: {
        readonly sessionId: string;
        readonly message?: string;
        readonly cause?: unknown;
    });
    static isInstance(value: unknown): value is StaleStateError;
}

export type StatePath = readonly (string | number)[];

export interface StateStore {
    readonly sessions: SessionStore;
    readonly index: SessionIndex;
}

export declare class StateViewReadonlyError extends HelixError {
    readonly name: string;
    readonly sessionId: string;
    readonly fields: readonly string[];
    constructor(sessionId: string, fields: readonly string[]);
    static isInstance(value: unknown): value is StateViewReadonlyError;
}

export type StateWrite = {
    readonly op: 'set';
    readonly path: StatePath;
    readonly value: JsonValue;
} | {
    readonly op: 'remove';
    readonly path: StatePath;
} | {
    readonly op: 'append';
    readonly path: StatePath;
    readonly values: readonly JsonValue[];
};

export declare class StepMemory {
    known(run: OwnedRun): StepRows | null;
    learn(run: OwnedRun, rows: StepRows): void;
    claimed(run: OwnedRun, rows: StepRows | null, record: RunRow | null): void;
    record(run: OwnedRun): RunRow | null;
    advance(run: OwnedRun, rows: StepRows): void;
    recorded(run: OwnedRun, row: JournalRow, calls?: readonly OpenCallRow[]): void;
    end(run: OwnedRun, ended: EndedRun): void;
    ended(run: OwnedRun): EndedRun | null;
    doubt(run: OwnedRun): void;
    unwritten(run: OwnedRun, stepId: number): readonly JournalRow[];
    usage(run: OwnedRun, stepId: number): readonly UsageRow[];
    add(run: OwnedRun, row: JournalRow, usage: readonly UsageRow[]): void;
    forget(run: OwnedRun): void;
}

export interface StepPlan {
    readonly message: AssistantMessage;
    readonly calls: readonly PlannedCall[];
    readonly stop: boolean;
    readonly writes?: readonly StateWrite[];
}

export type StepResult = (StepResultBase & {
    readonly type: 'text';
    readonly content: string;
    readonly thinking?: string;
    readonly shouldStop: boolean;
}) | (StepResultBase & {
    readonly type: 'tool_calls';
    readonly content?: string;
    readonly thinking?: string;
    readonly toolCalls: readonly LLMToolCall[];
    readonly subAgentCalls?: readonly {
        readonly id: string;
        readonly agentType: string;
        readonly input: JsonValue;
    }[];
}) | (StepResultBase & {
    readonly type: 'structured_output';
    readonly output: JsonValue;
}) | (StepResultBase & {
    readonly type: 'error';
    readonly error: Error;
    readonly shouldStop: boolean;
});

export interface StepRows {
    readonly session: SessionRow;
    readonly interrupt: InterruptRow | null;
    readonly journal: readonly JournalRow[];
    readonly calls: readonly OpenCallRow[];
    readonly references: readonly ChildReferenceRow[];
    readonly children: readonly SessionRow[];
}

export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'content_filter' | 'error' | 'unknown';

export declare class StoreSchemaError extends HelixError {
    readonly name: string;
    constructor(message: string, cause?: unknown);
    static isInstance(value: unknown): value is StoreSchemaError;
}

export declare class StoreUnavailableError extends HelixError {
    readonly name: string;
    constructor(cause: Error, store?: string);
    static isInstance(value: unknown): value is StoreUnavailableError;
}

export interface StoredChunk {
    readonly sequence: number;
    readonly chunk: StreamChunk;
}

export interface StoredError {
    readonly code: string;
    readonly message: string;
}

export type StreamChunk = {
    [T in ChunkType]: ChunkOf<T>;
}[ChunkType];

export declare const StreamChunkSchema: z.ZodType<StreamChunk>;

export type StreamClose = {
    readonly as: 'paused';
} | {
    readonly as: 'ended';
    readonly output?: JsonValue;
} | {
    readonly as: 'failed';
    readonly error: string;
};

export interface StreamEntry {
    readonly chunk: StreamChunk;
    readonly dedupeKey?: string;
}

export interface StreamInfo {
    readonly status: StreamStatus;
    readonly head: number;
    readonly chunkCount: number;
}

export interface StreamManager {
    createWriter(streamId: string, agentId: string, agentType: string): Promise<StreamWriter>;
    createReader(streamId: string): Promise<StreamReader | null>;
    endStream(streamId: string, finalOutput?: JsonValue): Promise<void>;
    failStream(streamId: string, error: string): Promise<void>;
    append?(streamId: string, entries: readonly StreamEntry[]): Promise<number>;
    createResumableReader?(streamId: string, options?: {
        readonly afterSequence?: number;
    }): Promise<StreamReader<StoredChunk> | null>;
    readChunks?(streamId: string, range?: {
        readonly after?: number;
        readonly limit?: number;
    }): Promise<readonly StoredChunk[]>;
    appendAndClose?(streamId: string, entries: readonly StreamEntry[], how: StreamClose): Promise<number>;
    pauseStream?(streamId: string): Promise<void>;
    reactivateStream?(streamId: string): Promise<void>;
    openStream?(streamId: string, agentId: string, agentType: string): Promise<void>;
    cleanupToStep?(streamId: string, stepCount: number): Promise<void>;
    resetStream?(streamId: string): Promise<void>;
    getStreamInfo?(streamId: string): Promise<StreamInfo | null>;
    trimStream?(streamId: string, throughSequence: number): Promise<void>;
    deleteStream?(streamId: string): Promise<void>;
}

export declare const StreamMessageSchema: z.ZodType<StoredChunk>;

export declare class StreamNotActiveError extends HelixError {
    readonly name: string;
    readonly streamId: string;
    constructor(streamId: string, status: string);
    static isInstance(value: unknown): value is StreamNotActiveError;
}

export interface StreamOptions {
    readonly afterSequence?: number;
}

export interface StreamReader<T = StreamChunk> extends AsyncIterable<T> {
    close(): void;
}

export type StreamState = StreamClose | {
    readonly as: 'active';
};

export type StreamStatus = 'active' | 'paused' | 'ended' | 'failed';

export interface StreamWrite {
    readonly streamId: string;
    readonly agentId: string;
    readonly agentType: string;
    readonly entries: readonly StreamEntry[];
    readonly close?: StreamClose;
}

export interface StreamWriter {
    write(chunk: StreamChunk): Promise<void>;
    close(): Promise<void>;
}

export interface SubSessionRef {
    readonly subSessionId: string;
    readonly agentType: string;
    readonly parentToolCallId: string;
    readonly status: SessionStatus;
    readonly mode: 'ephemeral' | 'persistent';
    readonly name?: string;
    readonly startedAt: number;
    readonly completedAt?: number;
}

export interface SubmitOptions {
    readonly answeredBy?: string;
    readonly maxResultBytes?: number;
}

export type SubmitOutcome = {
    readonly status: 'accepted';
} | {
    readonly status: 'already_completed';
} | {
    readonly status: 'expired';
} | {
    readonly status: 'unknown_tool_call';
    readonly reason: UnknownCallReason;
};

export interface SubmitSchemaLimits {
    readonly maxIdLength: number;
    readonly maxErrorBytes: number;
    readonly maxResultBytes: number;
}

export type SubmitToolResult = (CallAddress & {
    readonly kind: 'client-tool-result';
    readonly result: JsonValue;
}) | (CallAddress & {
    readonly kind: 'client-tool-result';
    readonly error: string;
}) | (CallAddress & {
    readonly kind: 'approval-response';
    readonly approved: boolean;
    readonly approvalId?: string;
    readonly reason?: string;
    readonly input?: JsonValue;
});

export type SubmitToolResultInput = (CallAddress & {
    readonly kind?: 'client-tool-result' | undefined;
    readonly result: unknown;
    readonly error?: undefined;
}) | (CallAddress & {
    readonly kind?: SubmitToolResult['kind'] | undefined;
    readonly error: string;
    readonly result?: undefined;
}) | (CallAddress & {
    readonly kind: 'approval-response';
    readonly approved: boolean;
    readonly approvalId?: string | undefined;
    readonly reason?: string | undefined;
    readonly input?: unknown;
});

export type SubmitToolResultSchema = z.ZodType<SubmitToolResult> & {
    readonly [SUBMIT_SCHEMA_LIMITS]: SubmitSchemaLimits;
};
export declare const SubmitToolResultSchema: SubmitToolResultSchema;

export interface SuperviseOptions {
    readonly everyMs?: number;
    readonly autoResume?: boolean;
}

export type SuspendedStatus = 'suspended_client_tool' | 'suspended_awaiting_children' | 'suspended_step_partial';

export interface Suspension {
    readonly toolCallIds: readonly string[];
    readonly children: readonly string[];
    readonly stepId: number;
}

export interface SweepPage {
    readonly limit: number;
    readonly except: readonly string[];
}

export interface SweepReport {
    readonly expired: number;
    readonly reminded: number;
    readonly closed: number;
    readonly purged: number;
    readonly answered: readonly SessionRow[];
    readonly failed: readonly string[];
    readonly more: boolean;
    readonly moreAnswered: boolean;
}

export interface SweepSummary {
    readonly expired: number;
    readonly reminded: number;
    readonly closed: number;
    readonly purged: number;
    readonly recovered: number;
    readonly answered: readonly string[];
    readonly more: boolean;
}

export interface SystemMessage {
    readonly role: 'system';
    readonly content: string;
}

export type ThinkResult = {
    readonly ok: true;
    readonly calls: readonly PlanEntry[];
} | Refusal;

export type ToJsonSchema = (schema: Schema) => JsonObject;

export interface TokenCounts {
    readonly prompt?: number;
    readonly completion?: number;
    readonly reasoning?: number;
    readonly cached?: number;
    readonly total?: number;
}

export interface Tool<Input = never, Output = unknown> {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: Schema;
    readonly outputSchema?: Schema<Output>;
    readonly execute: 'client' | ((input: Input, context: ToolContext) => unknown);
    readonly finishWith?: boolean;
    readonly requireApproval?: RequireApproval<Input>;
    readonly execution?: ToolExecution;
    readonly timeoutMs?: number;
    readonly clientToolTimeoutMs?: number | 'never';
    readonly approvalTimeoutMs?: number | 'never';
    readonly strict?: boolean;
    readonly subAgent?: {
        readonly agent: AgentConfig;
        readonly timeoutMs?: number;
    };
}

export interface ToolCall {
    readonly id: string;
    readonly name: string;
    readonly arguments: JsonValue;
    readonly providerId?: string;
}

export interface ToolContext {
    readonly agentId: string;
    readonly agentType: string;
    readonly sessionId: string;
    readonly runId: string;
    readonly toolCallId: string;
    readonly idempotencyKey: string;
    readonly abortSignal: AbortSignal;
    getState<T = unknown>(): T;
    updateState<T = unknown>(change: (draft: T) => void): void;
    emit(eventName: string, data: JsonValue): Promise<void>;
    recordUsage(metric: {
        name: string;
        value: number;
        [key: string]: JsonValue;
    }): void;
}

export type ToolDefinition<Input extends Schema = Schema, Output extends Schema = Schema> = ToolOptions<Input, Output> & ({
    readonly inputSchema: Input;
    readonly parameters?: never;
} | {
    readonly parameters: Input;
    readonly inputSchema?: never;
});

export interface ToolErrorDetail {
    readonly code: string;
    readonly message: string;
}

export type ToolExecution = 'retry' | 'once';

export interface ToolMessage extends AnswerDetails {
    readonly role: 'tool';
    readonly id?: string;
    readonly toolCallId: string;
    readonly toolName: string;
    readonly content: string;
    readonly format: 'text' | 'json';
    readonly success: boolean;
    readonly errorDetail?: ToolErrorDetail;
}

export declare class TranscriptCache {
    read(store: SessionStore, run: ClaimedSession, count: number): SessionTranscript | Promise<SessionTranscript>;
    begin(run: ClaimedSession, rows: readonly MessageRow[]): void;
    append(run: ClaimedSession, rows: readonly MessageRow[]): void;
    forget(run: ClaimedSession): void;
}

export interface TrimOptions {
    readonly olderThan: number;
    readonly limit?: number;
    readonly cursor?: string;
}

export interface TrimSummary {
    readonly trimmed: number;
    readonly cursor: string | null;
}

export interface TruncateOptions {
    readonly restoreState?: JsonValue;
}

export type UnknownCallReason = 'session_not_found' | 'call_not_found' | 'cancelled' | 'superseded';

export interface UsageEntry {
    readonly id: string;
    readonly sessionId: string;
    readonly rootId: string;
    readonly runId: string;
    readonly stepCount: number;
    readonly timestamp: number;
    readonly kind: UsageKind;
    readonly source: {
        readonly type: string;
        readonly name: string;
    };
    readonly data: JsonObject;
}

export type UsageKind = 'tokens' | 'tool' | 'subagent' | 'custom';

export interface UsageRollup {
    readonly tokens: Required<TokenCounts>;
    readonly toolStats: {
        readonly totalCalls: number;
        readonly failedCalls: number;
    };
    readonly subAgentStats: {
        readonly totalCalls: number;
        readonly failedCalls: number;
    };
    readonly modelCalls: number;
    readonly custom: {
        readonly [name: string]: number;
    };
}

export interface UsageRow {
    readonly id: string;
    readonly sessionId: string;
    readonly rootId: string;
    readonly runId: string;
    readonly stepCount: number;
    readonly kind: UsageKind;
    readonly sourceType: string;
    readonly sourceName: string;
    readonly data: JsonObject;
    readonly timestamp: number;
}

export interface UsageStore {
    recordEntry(entry: UsageEntry): Promise<void>;
    getEntries(sessionId: string, filter?: {
        readonly kinds?: readonly UsageKind[];
    }): Promise<readonly UsageEntry[]>;
    getRollup(sessionId: string): Promise<UsageRollup>;
}

export type UserInputMessage = UserMessage;

export interface UserMessage {
    readonly role: 'user';
    readonly id?: string;
    readonly content: string;
    readonly files?: readonly MessageFile[];
    readonly metadata?: JsonObject;
}

export interface Written {
    readonly newVersion: number;
}

export declare function anthropicCache(options?: AnthropicCacheOptions): CacheStrategy;

export declare function applyCacheStrategies(cache: CacheStrategy | readonly CacheStrategy[] | undefined, request: CacheRequest): AppliedCacheResult;

export declare function applyWrites(state: JsonValue, writes: readonly StateWrite[]): JsonValue;

export declare function assertValidTranscript(messages: readonly Message[]): void;

export declare function awaitResult(ctx: EngineContext, ref: SessionRef, runId: string): Promise<AgentResult>;

export declare function buildEffectiveTools(agent: AgentConfig): readonly Tool[];

export declare function buildMessagesForLLM(systemPrompt: string, messages: readonly Message[]): readonly Message[];

export declare function callFits(row: OpenCallRow, filter: OpenCallFilter): boolean;

export declare function canCarry(sessions: SessionStore & Partial<CarryingSessions>, streams: StreamManager & Partial<CarriedStreams>): streams is StreamManager & CarriedStreams;

export declare function checkEvery(path: string, everyMs: number): void;

export declare function claimResume(ctx: EngineContext, found: FoundStep): Promise<LoopRun | null>;

export declare function collectAgents(agent: AgentConfig): Map<string, AgentConfig>;

export declare function composeHooks(...parts: readonly (AgentHooks | undefined)[]): readonly AgentHooks[];

export declare const consoleLogger: Logger;

export declare function createAnnouncer(streams: StreamManager, logger: Logger, clock: Pick<Clock, 'now' | 'setTimer'>, stateFor?: StateFor): Announcer;

export declare function createAppendWriter(streamId: string, append: (streamId: string, entries: readonly StreamEntry[]) => Promise<unknown>): StreamWriter;

export declare function createAssistantMessage(parts: {
    readonly content?: string | undefined;
    readonly toolCalls?: AssistantMessage['toolCalls'] | undefined;
    readonly thinking?: string | undefined;
    readonly providerMetadata?: AssistantMessage['providerMetadata'] | undefined;
    readonly id?: string | undefined;
}): AssistantMessage;

export declare function createEngineContext(parts: ExecutorParts, directory: AgentDirectory, traits: HostTraits): EngineContext;

export declare function createHandle(parts: HandleParts, run: LoopRun, agent?: AgentConfig): AgentExecutionHandle;

export declare function createLogReader<T>(source: LogSource, afterSequence: number, view: (stored: StoredChunk) => T, onClose: () => void): StreamReader<T>;

export declare function createOperations(ctx: EngineContext): Operations;

export declare function createSharedReads<Page>(read: (streamId: string, after: number, limit: number) => Promise<Page>): (streamId: string, after: number, limit: number) => Promise<Page>;

export declare function createStateStoreFacade(store: StateStore, options?: FacadeOptions): SessionStateStoreFacade;

export declare function createSubAgentTool<Input extends Schema, State extends Schema, Output extends Schema>(agent: AgentConfig<State, Output>, inputSchema: Input, options?: {
    readonly description?: string;
    readonly timeoutMs?: number;
}): Tool<InferSchema<Input>, InferSchema<Output>>;

export declare function createSubmitToolResultSchema(options?: {
    readonly maxResultBytes?: number;
}): SubmitToolResultSchema;

export declare function createToolResultMessage(parts: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly result: {
        readonly value: JsonValue;
    } | {
        readonly error: ToolErrorDetail;
    };
    readonly id?: string | undefined;
}): ToolMessage;

export declare const defaultAgentRegistry: AgentRegistry;

export declare function defineAgent<State extends Schema = Schema, Output extends Schema = Schema>(definition: AgentDefinition<State, Output>): AgentConfig<State, Output>;

export declare function defineTool<Input extends Schema, Output extends Schema = Schema>(definition: ToolDefinition<Input, Output>): Tool<InferSchema<Input>, InferSchema<Output>>;

export declare function driveRun(driver: LocalDriver, run: LoopRun, cut?: AbortSignal): Promise<DrivenRun>;

export declare function errorMessage(value: unknown): string;

export declare function findExpiredPending(state: Pick<SessionState<unknown>, 'pendingClientToolCalls'>, now?: number): PendingClientToolCall[];

export declare function findTranscriptFault(messages: readonly Message[]): string | null;

export declare function frozenCopy<T>(value: T): T;

export declare function functionModel(answer: (input: LLMGenerateInput) => StepResult | Promise<StepResult>, options?: ScriptOptions): FunctionModel;

export declare function humanizeClientToolError(error: string): string;

export declare function initialState(agent: Pick<AgentConfig, 'name' | 'stateSchema'>, given?: JsonObject): Promise<JsonValue>;

export declare function interruptBelow(ctx: EngineContext, ref: SessionRef): Promise<void>;

export declare function isClientToolErrorCode(code: unknown): code is ClientToolErrorCode;

export declare function isKnownErrorCode(code: unknown): code is ErrorCode;

export declare function isSubAgentTool(name: string): boolean;

export declare function mergeWrites(base: JsonValue, ordered: readonly (readonly StateWrite[])[]): JsonValue;

export declare const noopLogger: Logger;

export declare function outcomeOfToolMessage(message: ToolMessage): CallOutcome;

export declare function parseWith<Output>(schema: Schema<Output>, value: unknown): ParseResult<Output> | Promise<ParseResult<Output>>;

export declare function publicStatus(status: RunStatus): SessionStatus;

export declare function readCursor(cursor: string, ids: number): ListPosition;

export declare function readSubmitLimits(schema: object): SubmitSchemaLimits | null;

export declare function resolveAgent(agents: AgentRegistryLike, type: string, context?: AgentFactoryContext): AgentConfig | undefined;

export declare function rollupUsage(entries: Iterable<UsageEntry>): UsageRollup;

export declare function runSession(host: Host, run: LoopRun): Promise<RunOutcome>;

export declare function sessionFits(row: SessionRow, filter: SessionFilter): boolean;

export declare function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean>;

export declare function streamStatusFor(session: SessionRow): StreamStatus;

export declare function sweep(ctx: EngineContext, index: SessionIndex, page: SweepPage, takeUp: (dead: readonly SessionRow[]) => Promise<void>): Promise<SweepReport>;

export declare const systemClock: Clock;

export declare function takeOver(ctx: EngineContext, session: SessionRow): Promise<LoopRun | null>;

export declare function toCursor(given: number): number;

export declare function toHelixError(value: unknown, code: ErrorCode): HelixError;

export declare function toJsonSchema(schema: Schema): JsonObject;

export declare function toJsonValue(value: unknown): JsonConversion;

export declare function toLLMTool(tool: Tool): LLMTool;

export declare function toLimit(given?: number): number;

export declare function toLockMs(ttlMs: number): number;

export declare function toolMessageFrom(call: NamedCall, outcome: CallOutcome, details?: AnswerDetails): ToolMessage;

export declare function usageEntryFromRow(row: UsageRow): UsageEntry;

export declare function usageRowFromEntry(entry: UsageEntry): UsageRow;

export declare function utf8Length(text: string): number;

export declare function watchRun(ctx: EngineContext, run: LoopRun): RunWatch;

export declare function withContext(logger: Logger | ObjectFirstLogger, bindings: object): Logger;

export declare function writeCursor(position: ListPosition): string;
