// What `@helix-agents/core` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface AbortOptions extends StopOptions {
    readonly close?: boolean;
    readonly userId?: string;
}

export interface AbortResult {
    readonly status: 'aborted' | 'too_late';
}

export interface ActiveSkill {
    readonly name: string;
    readonly body: string;
    readonly resources?: readonly SkillResource[];
}

export declare class AgentAlreadyRunningError extends HelixError {
    readonly name: string;
    readonly sessionId: string;
    readonly runId: string | undefined;
    constructor(sessionId: string, runId?: string);
    static isInstance(value: unknown): value is AgentAlreadyRunningError;
}

export interface AgentConfig<State extends Schema = Schema, Output extends Schema = Schema, Tools extends readonly Tool[] = readonly Tool[]> {
    readonly name: string;
    readonly description?: string;
    readonly systemPrompt: string | ((state: never) => string);
    readonly tools?: Tools;
    readonly stateSchema?: State;
    readonly outputSchema?: Output;
    readonly llmConfig: LLMConfig;
    readonly maxSteps?: number;
    readonly durability?: Durability;
    readonly clientToolTimeoutMs?: number | 'never';
    readonly approvalTimeoutMs?: number | 'never';
    readonly completedTombstoneRetentionMs?: number;
    readonly hooks?: AgentHooks;
    readonly skills?: SkillProvider | readonly SkillDefinition[];
    readonly preloadSkills?: readonly string[];
    readonly capabilities?: readonly Capability[];
}

export type AgentDefinition<State extends Schema = Schema, Output extends Schema = Schema, Tools extends readonly Tool[] = readonly Tool[]> = Omit<AgentConfig<State, Output, Tools>, 'systemPrompt' | 'llmConfig'> & {
    readonly systemPrompt: string | ((state: InferSchema<State>) => string);
    readonly llmConfig?: LLMConfig;
};

export interface AgentExecutionHandle<Output = unknown> extends AsyncIterable<StreamChunk> {
    readonly sessionId: string;
    readonly runId: string;
    readonly streamId: string;
    readonly startSequence?: number;
    stream(options?: StreamOptions): Promise<AsyncIterable<StreamChunk>>;
    result(): Promise<AgentResult<Output>>;
    resume(options?: ResumeOptions): Promise<AgentExecutionHandle<Output>>;
    interrupt(reason?: string): Promise<InterruptResult>;
    abort(reason?: string): Promise<AbortResult>;
    getUsageRollup(): Promise<UsageRollup | undefined>;
}

export interface AgentExecutor {
    execute<Agent extends AgentConfig>(agent: Agent, input: InputOf<Agent>, options?: ExecuteOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
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
    }, options?: CancelOptions): Promise<SubmitOutcome>;
    interrupt(sessionId: string, reason?: string, options?: StopOptions): Promise<InterruptResult>;
    abort(sessionId: string, reason?: string, options?: AbortOptions): Promise<AbortResult>;
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

export type AgentInput<State = JsonObject> = string | {
    readonly message: string | readonly UserInputMessage[];
    readonly state?: State;
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

export interface AnthropicCacheOptions {
    readonly ttl?: '5m' | '1h';
}

export type AnyLogger = Logger | ObjectFirstLogger;

export interface AppliedCacheResult {
    readonly messageOptions: ReadonlyMap<number, JsonObject>;
    readonly toolOptions: ReadonlyMap<number, JsonObject>;
}

export interface ApprovalContext<State = unknown> {
    readonly sessionId: string;
    readonly agentType: string;
    readonly toolCallId: string;
    readonly state: State;
    getState<T = State>(): T;
}

export interface AssistantMessage {
    readonly role: 'assistant';
    readonly id?: string;
    readonly content: string;
    readonly toolCalls?: readonly ToolCall[];
    readonly thinking?: string;
    readonly providerMetadata?: JsonObject;
    readonly stopped?: true;
}

export declare const BaseChunkSchema: z.ZodType<BaseChunk & {
    readonly type: string;
}>;

export declare const CLIENT_TOOL_ERROR_CODES: readonly ['client_tool_timeout', 'aborted', 'runtime_restarted', 'disposed', 'validation_failed'];

export declare const CLIENT_TOOL_WAIT_MS_METRIC = "client_tool_wait_ms";

export interface CacheStrategy {
    readonly name: string;
    findBreakpoints(request: CacheRequest): readonly CacheBreakpoint[];
}

export interface CallOptions {
    readonly serviceName?: string;
}

export interface CanResume {
    readonly canResume: boolean;
    readonly reason?: string;
    readonly state?: SessionRow;
}

export interface CancelOptions extends CallOptions {
    readonly answeredBy?: string;
}

export interface Capability {
    readonly name: string;
    readonly timeoutMs?: number;
    readonly tools?: readonly Tool[] | ((session: CapabilitySession) => readonly Tool[] | Promise<readonly Tool[]>);
    readonly prompt?: string | ((session: CapabilitySession) => string | Promise<string>);
    readonly beforeStep?: (session: CapabilitySession) => StepAdditions | void | Promise<StepAdditions | void>;
    readonly hooks?: AgentHooks;
}

export interface CapabilityNote {
    readonly content: string;
    readonly metadata?: JsonObject;
}

export interface CapabilitySession {
    readonly sessionId: string;
    readonly rootId: string;
    readonly runId: string;
    readonly agentType: string;
    readonly stepId: number;
    readonly stepCount: number;
    readonly userId?: string;
    readonly tags: readonly string[];
    readonly metadata: JsonObject;
    readonly state: unknown;
    readonly abortSignal: AbortSignal;
    readonly logger: Logger;
    readMessages(): Promise<readonly Message[]>;
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

export type ChunkOf<T extends ChunkType> = BaseChunk & {
    readonly type: T;
} & ChunkBodies[T];

export type ChunkType = keyof ChunkBodies;

export type ClientToolErrorCode = (typeof CLIENT_TOOL_ERROR_CODES)[number];

export interface Clock {
    now(): number;
    setTimer(ms: number, callback: () => void): () => void;
}

export declare const DEFAULT_CLIENT_TOOL_TIMEOUT_MS = 300000;

export declare const DEFAULT_SUBMIT_MAX_RESULT_BYTES = 1048576;

export type DefinedTool<Input extends Schema, Output extends Schema, Result, Name extends string, State extends Schema, Finish extends boolean> = Tool<InferSchema<Input>, ResultType<Output, Result>, Name, InferSchema<State>> & {
    readonly finishWith?: Finish;
};

export declare class DefinitionError extends HelixError {
    readonly name: string;
    constructor(message: string, cause?: unknown);
    static isInstance(value: unknown): value is DefinitionError;
}

export type Durability = 'call' | 'step';

export interface EngineLimits {
    readonly maxToolResultBytes: number;
    readonly maxEventBytes: number;
    readonly approvalPredicateMs: number;
    readonly maxRecoveries: number;
    readonly schemaTimeoutMs: number;
    readonly hookTimeoutMs: number;
    readonly capabilityTimeoutMs: number;
    readonly pollMs: number;
}

export type ErrorCode = ClientToolErrorCode | (typeof ERROR_CODES)[number];

export interface ExecuteOptions extends CallOptions {
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

export declare const FINISH_TOOL_NAME = "__finish__";

export interface FunctionModel extends LLMAdapter {
    readonly calls: readonly RecordedCall[];
}

export declare const HOOK_TABLE: Readonly<Record<HookName, HookRow>>;

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
        readonly previousRunId: string;
        readonly resumedFromCheckpointId: string | null;
    };
    onAgentSuspended: {
        readonly sessionId: string;
        readonly runId: string;
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

export declare class HttpRemoteAgentTransport implements RemoteAgentTransport {
    constructor(options: HttpRemoteAgentTransportOptions);
    start(request: RemoteStart, options?: RemoteRequestOptions): Promise<RemoteRun>;
    status(sessionId: string, options?: RemoteRequestOptions): Promise<RemoteStatus | null>;
    stream(sessionId: string, options?: RemoteRequestOptions & {
        readonly after?: number;
    }): AsyncGenerator<RemoteEvent, undefined>;
    submit(submission: RemoteSubmission, options?: RemoteRequestOptions): Promise<SubmitOutcome>;
    resume(request: {
        readonly sessionId: string;
        readonly runId?: string;
    }, options?: RemoteRequestOptions): Promise<RemoteRun | null>;
    interrupt(request: {
        readonly sessionId: string;
        readonly runId?: string;
        readonly reason?: string;
    }, options?: RemoteRequestOptions): Promise<InterruptResult>;
    abort(request: {
        readonly sessionId: string;
        readonly reason?: string;
    }, options?: RemoteRequestOptions): Promise<AbortResult>;
}

export interface HttpRemoteAgentTransportOptions {
    readonly url?: string;
    readonly baseUrl?: string;
    readonly token?: string | (() => string | Promise<string>);
    readonly headers?: {
        readonly [name: string]: string;
    };
    readonly limits?: Partial<RemoteLimits>;
    readonly fetch?: typeof fetch;
    readonly now?: () => number;
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

export type InferAgentOutput<A> = A extends {
    readonly outputSchema?: infer Output;
} ? InferSchema<Output> | FinishOutput<InferAgentTools<A>> : never;

export type InferAgentState<A> = A extends {
    readonly stateSchema?: infer State;
} ? InferSchema<State> : never;

export type InferAgentTools<A> = A extends {
    readonly tools?: infer Tools;
} ? NonNullable<Tools> extends readonly (infer T)[] ? T : never : never;

export type InferInitialState<A> = A extends {
    readonly stateSchema?: infer State;
} ? unknown extends InferSchemaInput<State> ? JsonObject : Partial<InferSchemaInput<State>> : JsonObject;

export type InferToolInput<T> = T extends Tool<infer Input, infer _Output> ? Input : never;

export type InferToolOutput<T> = T extends {
    readonly outputSchema?: Schema<infer Output>;
} ? Output : never;

export type InputOf<Agent> = AgentInput<InferInitialState<Agent>>;

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
    readonly model?: unknown;
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

export interface LockManager {
    acquire(key: string, options: {
        readonly ttlMs: number;
    }): Promise<LockLease | null>;
}

export interface Logger {
    info(message: string, data?: object): void;
    warn(message: string, data?: object): void;
    error(message: string, data?: object): void;
    debug?(message: string, data?: object): void;
}

export declare const MAX_JSON_BYTES = 16000000;

export declare const MAX_SKILL_FILE_BYTES = 1000000;

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface MessageFile {
    readonly data: string;
    readonly mediaType: string;
    readonly filename?: string;
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
    constructor(sessionId: string, reason: string, message?: string);
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

export type OpenCallKind = 'client' | 'approval';

export interface OpenCallRow extends CallKey {
    readonly kind: OpenCallKind;
    readonly unitId: string;
    readonly ownerSessionId: string;
    readonly ownerStepId: number;
    readonly ownerIndex: number;
    readonly route: readonly string[];
    readonly ownerAgentType: string;
    readonly toolName: string;
    readonly input: JsonValue;
    readonly rawInput: JsonValue | null;
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
    readonly submissionId: string | null;
    readonly settledAt: number | null;
    readonly purgeAt: number | null;
    readonly retentionMs: number;
    readonly userId: string | null;
    readonly remote: RemoteCall | null;
    readonly openedAt: number;
}

export interface Page<T> {
    readonly items: readonly T[];
    readonly cursor: string | null;
}

export interface ParseSkillOptions {
    readonly directory?: string;
    readonly lenient?: boolean;
}

export type ParseSkillResult = {
    readonly ok: true;
    readonly skill: ParsedSkill;
    readonly warnings: readonly string[];
} | {
    readonly ok: false;
    readonly reason: string;
};

export interface ParsedSkill extends SkillMetadata {
    readonly body: string;
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

export interface ReadResourceRange {
    readonly startLine?: number;
    readonly endLine?: number;
}

export interface RecoverOptions {
    readonly autoResume?: boolean;
}

export interface RemoteAgentTransport {
    start(request: RemoteStart, options?: RemoteRequestOptions): Promise<RemoteRun>;
    status(sessionId: string, options?: RemoteRequestOptions): Promise<RemoteStatus | null>;
    stream(sessionId: string, options?: RemoteRequestOptions & {
        readonly after?: number;
    }): AsyncIterable<RemoteEvent>;
    submit(submission: RemoteSubmission, options?: RemoteRequestOptions): Promise<SubmitOutcome>;
    resume(request: {
        readonly sessionId: string;
        readonly runId?: string;
    }, options?: RemoteRequestOptions): Promise<RemoteRun | null>;
    interrupt(request: {
        readonly sessionId: string;
        readonly runId?: string;
        readonly reason?: string;
    }, options?: RemoteRequestOptions): Promise<InterruptResult>;
    abort(request: {
        readonly sessionId: string;
        readonly reason?: string;
    }, options?: RemoteRequestOptions): Promise<AbortResult>;
}

export type RemoteEvent = {
    readonly type: 'chunk';
    readonly sequence: number;
    readonly chunk: StreamChunk;
}
 | {
    readonly type: 'omitted';
    readonly sequence: number;
}
 | {
    readonly type: 'end';
};

export interface RemoteLimits {
    readonly requestBytes: number;
    readonly replyBytes: number;
    readonly chunkBytes: number;
    readonly openCalls: number;
    readonly replyMs: number;
    readonly silentMs: number;
}

export interface RemoteOpenCall {
    readonly toolCallId: string;
    readonly kind: OpenCallKind;
    readonly toolName: string;
    readonly input: JsonValue;
    readonly rawInput?: JsonValue | undefined;
    readonly approvalId: string | null;
    readonly agentType: string;
    readonly openedAt: number;
    readonly deadlineAt: number | null;
}

export declare class RemoteRefusedError extends HelixError {
    readonly name: string;
    readonly status: number;
    readonly remoteCode: string;
    constructor(status: number, remoteCode: string, message: string);
    static isInstance(value: unknown): value is RemoteRefusedError;
}

export declare class RemoteReplyError extends HelixError {
    readonly name: string;
    constructor(message: string, options?: {
        readonly cause?: unknown;
    });
    static isInstance(value: unknown): value is RemoteReplyError;
}

export interface RemoteRequestOptions {
    readonly signal?: AbortSignal;
}

export interface RemoteRun {
    readonly sessionId: string;
    readonly runId: string;
}

export interface RemoteStart {
    readonly sessionId: string;
    readonly agentType: string;
    readonly message: string;
}

export interface RemoteStatus {
    readonly sessionId: string;
    readonly runId: string;
    readonly runStatus: RunStatus;
    readonly output: JsonValue;
    readonly error: StoredError | null;
    readonly openCalls: readonly RemoteOpenCall[];
    readonly streamSequence: number;
}

export declare class RemoteSubAgentClientToolUnsupportedError extends HelixError {
    readonly name: string;
    readonly failureReason: 'client-tool-unsupported';
    constructor(url: string);
    static isInstance(value: unknown): value is RemoteSubAgentClientToolUnsupportedError;
}

export type RemoteSubmission = SubmitToolResult & {
    readonly submissionId: string;
    readonly answeredBy?: string;
};

export declare class RemoteUnreachableError extends HelixError {
    readonly name: string;
    readonly retryAfterMs: number | null;
    constructor(message: string, options?: {
        readonly cause?: unknown;
        readonly retryAfterMs?: number | null;
    });
    static isInstance(value: unknown): value is RemoteUnreachableError;
}

export type RequireApproval<Input = unknown, State = unknown> = boolean | ((input: Input, context: ApprovalContext<State>) => boolean | Promise<boolean>);

export interface ResumeOptions extends CallOptions {
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

export type RunOutcome<Output = unknown> = {
    readonly kind: 'completed';
    readonly output: Output;
} | {
    readonly kind: 'failed';
    readonly error: StoredError;
} | {
    readonly kind: 'interrupted';
} | {
    readonly kind: SuspendedStatus;
    readonly toolCallIds: readonly string[];
    readonly children: readonly SuspendedChildWait[];
    readonly stepId: number;
};

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

export type RunStatus = 'running' | 'completed' | 'failed' | 'interrupted' | SuspendedStatus;

export declare const SESSION_LIMITS: {
    readonly metadataBytes: number;
    readonly metadataEntries: number;
    readonly tags: number;
    readonly tagLength: number;
    readonly stateBytes: number;
    readonly messages: number;
    readonly files: number;
};

export declare const SUBAGENT_TOOL_PREFIX = "subagent__";

export declare const SUBMIT_SCHEMA_LIMITS: unique symbol;

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

export declare class SessionNotFoundError extends HelixError {
    readonly name: string;
    readonly sessionId: string;
    constructor(sessionId: string);
    static isInstance(value: unknown): value is SessionNotFoundError;
}

export interface SessionRow extends SessionRef {
    readonly route: readonly string[];
    readonly unitId: string;
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
    readonly ends: number;
    readonly reported: number | null;
    readonly wakeAt: number | null;
    readonly stop: InterruptScope | null;
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
    status: SessionStatus;
    readonly runStatus: RunStatus;
    output: JsonValue | null;
    readonly error: StoredError | null;
    failureReason: string | null;
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
    readonly suspensionContext: SuspensionContext | null;
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

export type SessionStatus = 'active' | 'interrupted' | 'completed' | 'failed';

export declare class SessionSuspendedError extends HelixError {
    readonly name: string;
    readonly sessionId: string;
    readonly toolCallIds: readonly string[];
    constructor(sessionId: string, toolCallIds: readonly string[]);
    static isInstance(value: unknown): value is SessionSuspendedError;
}

export type SessionTools = ReadonlyMap<string, readonly Tool[]>;

export interface Skill extends SkillMetadata {
    readonly body: string;
    readonly resources: readonly SkillResource[];
}

export interface SkillDefinition extends SkillMetadata {
    readonly body: string;
    readonly resources?: Readonly<Record<string, string | {
        readonly size: number;
    }>>;
}

export interface SkillMetadata {
    readonly name: string;
    readonly description: string;
    readonly license?: string;
    readonly compatibility?: string;
    readonly metadata?: Readonly<Record<string, string>>;
    readonly allowedTools?: readonly string[];
    readonly disableModelInvocation?: boolean;
}

export interface SkillProvider {
    listSkills(): Promise<readonly SkillMetadata[]>;
    getSkill(name: string): Promise<Skill | null>;
    readResource(name: string, path: string, range?: ReadResourceRange): Promise<string | null>;
}

export interface SkillResource {
    readonly path: string;
    readonly size: number;
    readonly binary: boolean;
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

export interface StepAdditions {
    readonly notes?: readonly CapabilityNote[];
}

export type StepOutcome<Output = unknown> = {
    readonly kind: 'continue';
} | RunOutcome<Output>;

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

export interface StopOptions extends CallOptions {
    readonly runId?: string;
}

export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'content_filter' | 'error' | 'unknown';

export declare class StoreRefusedError extends HelixError {
    readonly name: string;
    constructor(message: string, cause: Error);
    toString(): string;
    static isInstance(value: unknown): value is StoreRefusedError;
}

export declare class StoreSchemaError extends HelixError {
    readonly name: string;
    constructor(message: string, cause?: unknown);
    static isInstance(value: unknown): value is StoreSchemaError;
}

export declare class StoreUnavailableError extends HelixError {
    readonly name: string;
    constructor(cause: Error, store?: string, unreachable?: string);
    toString(): string;
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

export interface StreamManager {
    createWriter(streamId: string, agentId: string, agentType: string): Promise<StreamWriter>;
    createReader(streamId: string): Promise<StreamReader | null>;
    endStream(streamId: string, finalOutput?: JsonValue): Promise<void>;
    failStream(streamId: string, error: string): Promise<void>;
    append?(streamId: string, entries: readonly StreamEntry[], options?: AppendOptions): Promise<number>;
    createResumableReader?(streamId: string, options?: {
        readonly afterSequence?: number;
    }): Promise<StreamReader<StoredChunk> | null>;
    readChunks?(streamId: string, range?: {
        readonly after?: number;
        readonly limit?: number;
    }): Promise<readonly StoredChunk[]>;
    appendAndClose?(streamId: string, entries: readonly StreamEntry[], how: StreamClose, options?: AppendOptions): Promise<number>;
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

export interface StreamWriter {
    write(chunk: StreamChunk): Promise<void>;
    close(): Promise<void>;
}

export type SubAgentTool<Input extends Schema, Output extends Schema> = Tool<InferSchema<Input>, InferSchema<Output>, `${typeof SUBAGENT_TOOL_PREFIX}${string}`> & {
    readonly finishWith?: false;
};

export interface SubAgentToolOptions {
    readonly description?: string;
    readonly timeoutMs?: number;
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

export interface SubmitOptions extends CallOptions {
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

export interface SuspendedChildWait {
    readonly subSessionId: string;
}

export type SuspendedStatus = 'suspended_client_tool' | 'suspended_awaiting_children' | 'suspended_step_partial';

export interface Suspension {
    readonly toolCallIds: readonly string[];
    readonly children: readonly string[];
    readonly stepId: number;
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

export interface TokenCounts {
    readonly prompt?: number;
    readonly completion?: number;
    readonly reasoning?: number;
    readonly cached?: number;
    readonly total?: number;
}

export interface Tool<Input = never, Output = unknown, Name extends string = string, State = unknown> {
    readonly name: Name;
    readonly description: string;
    readonly inputSchema: Schema;
    readonly outputSchema?: Schema<Output>;
    readonly stateSchema?: Schema<State>;
    readonly execute: 'client' | ((input: Input, context: ToolContext<never>) => unknown);
    readonly finishWith?: boolean;
    readonly requireApproval?: RequireApproval<Input, never>;
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
    readonly parsedArguments?: JsonValue;
    readonly providerId?: string;
}

export interface ToolContext<State = unknown> {
    readonly agentId: string;
    readonly agentType: string;
    readonly sessionId: string;
    readonly runId: string;
    readonly toolCallId: string;
    readonly idempotencyKey: string;
    readonly abortSignal: AbortSignal;
    readonly state: State;
    getState<T = State>(): T;
    updateState<T = State>(change: (draft: T) => void): void;
    emit(eventName: string, data: JsonValue): Promise<void>;
    recordUsage(metric: {
        name: string;
        value: number;
        [key: string]: JsonValue;
    }): void;
}

export type ToolDefinition<Input extends Schema = Schema, Output extends Schema = Schema, Result = unknown, Name extends string = string, State extends Schema = Schema, Finish extends boolean = boolean> = ToolOptions<Input, Output, Result, Name, State, Finish> & ({
    readonly inputSchema: Input;
    readonly parameters?: never;
} | {
    readonly parameters: Input;
    readonly inputSchema?: never;
});

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

export interface TrimOptions {
    readonly olderThan: number;
    readonly limit?: number;
    readonly cursor?: string;
}

export interface TrimSummary {
    readonly trimmed: number;
    readonly cursor: string | null;
}

export type UnknownCallReason = 'session_not_found' | 'call_not_found' | 'cancelled' | 'superseded';

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

export declare function anthropicCache(options?: AnthropicCacheOptions): CacheStrategy;

export declare function applyCacheStrategies(cache: CacheStrategy | readonly CacheStrategy[] | undefined, request: CacheRequest): AppliedCacheResult;

export declare function assertValidTranscript(messages: readonly Message[]): void;

export declare function buildEffectiveTools(agent: AgentConfig, ofSession?: SessionTools): readonly Tool[];

export declare function buildMessagesForLLM(systemPrompt: string, messages: readonly Message[]): readonly Message[];

export declare function capabilitySession(context: ToolContext): CapabilitySession;

export declare function collectLoadedSkillNames(messages: readonly Message[]): readonly string[];

export declare function composeHooks(...parts: readonly (AgentHooks | undefined)[]): readonly AgentHooks[];

export declare const consoleLogger: Logger;

export declare function createAssistantMessage(parts: {
    readonly content?: string | undefined;
    readonly toolCalls?: AssistantMessage['toolCalls'] | undefined;
    readonly thinking?: string | undefined;
    readonly providerMetadata?: AssistantMessage['providerMetadata'] | undefined;
    readonly id?: string | undefined;
}): AssistantMessage;

export declare function createSubAgentTool<Input extends Schema, State extends Schema, Output extends Schema>(agent: AgentConfig<State, Output>, inputSchema: Input, options?: SubAgentToolOptions): SubAgentTool<Input, Output>;

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

export declare function defineAgent<State extends Schema = Schema, Output extends Schema = Schema<string>, Tools extends readonly Tool[] = readonly []>(definition: AgentDefinition<State, Output, Tools> & StateFits<Tools[number], InferSchema<State>>): AgentConfig<State, Output, Tools>;

export declare function defineTool<Input extends Schema, Name extends string, Output extends Schema = Schema, Result extends InferSchemaInput<Output> = InferSchemaInput<Output>, State extends Schema = Schema, Finish extends boolean = false>(definition: ToolDefinition<Input, Output, Result, Name, State, Finish> & CheckedResult<NoInfer<Result>> & {
    readonly inputSchema?: CheckedInput<NoInfer<Input>>;
    readonly parameters?: CheckedInput<NoInfer<Input>>;
}): DefinedTool<Input, Output, Result, NoInfer<Name>, State, NoInfer<Finish>>;

export declare function describeFault({ path, reason, }: Extract<JsonConversion, {
    readonly ok: false;
}>): string;

export declare function editableInput({ input, rawInput, }: Pick<OpenCallRow, 'input' | 'rawInput'>): JsonValue;

export declare function errorMessage(value: unknown): string;

export declare function findExpiredPending(state: Pick<SessionState<unknown>, 'pendingClientToolCalls'>, now?: number): PendingClientToolCall[];

export declare function functionModel(answer: (input: LLMGenerateInput) => StepResult | Promise<StepResult>, options?: ScriptOptions): FunctionModel;

export declare function generateSkillsSystemPromptFragment(skills: readonly SkillMetadata[], active?: readonly ActiveSkill[]): string;

export declare function humanizeClientToolError(error: string): string;

export declare function inCodeSkillProvider(definitions: readonly SkillDefinition[]): SkillProvider;

export declare function initialState(agent: Pick<AgentConfig, 'name' | 'stateSchema'>, given?: JsonObject, parse?: Parse): Promise<JsonValue>;

export declare function isClientToolErrorCode(code: unknown): code is ClientToolErrorCode;

export declare function isKnownErrorCode(code: unknown): code is ErrorCode;

export declare function isSkillName(name: unknown): boolean;

export declare function isSubAgentTool(name: string): boolean;

export declare const noopLogger: Logger;

export declare function outcomeOfToolMessage(message: ToolMessage): CallOutcome;

export declare function parseSkillFile(text: string, options?: ParseSkillOptions): ParseSkillResult;

export declare function publicStatus(status: RunStatus): SessionStatus;

export declare function skillResourcePath(path: unknown): string | null;

export declare function sliceLines(text: string, range?: ReadResourceRange): string;

export declare function toJsonValue(value: unknown, maxBytes?: number): JsonConversion;

export declare function toLogger(given: AnyLogger | undefined): Logger;

export declare function toRunOutcome<Output>(result: AgentResult<Output>): RunOutcome<Output>;

export declare function utf8Length(text: string): number;

export declare function withContext(given: AnyLogger, bindings: object): Logger;
