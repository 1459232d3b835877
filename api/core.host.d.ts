// What `@helix-agents/core/host` exports. Written by `npm run api`; a report to read and compare, not a module.

export declare class AgentDirectory implements SessionAgents {
    constructor(registry?: AgentRegistryLike, options?: AgentDirectoryOptions);
    remember(agent: AgentConfig): void;
    bindRun(owner: LoopRun, run: RunAgent): void;
    forget(run: LoopRun): void;
    knowsRoot(rootId: string): boolean;
    pin(root: SessionOfAgent): () => void;
    find(session: SessionOfAgent): AgentConfig | undefined;
    missing({ agentType }: SessionOfAgent): AgentNotFoundError;
    mayCheckResults(): boolean;
    hooksOf({ rootId, sessionId, }: Pick<SessionOfAgent, 'rootId' | 'sessionId'>): readonly AgentHooks[];
}

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

export declare const DEFAULT_LIMITS: EngineLimits;

export interface Databases {
    of(ref: SessionRef): SessionStore;
}

export type Done = {
    readonly ok: true;
} | Refusal;

export interface EngineContext {
    readonly databases: Databases;
    findRoot(sessionId: string): Promise<string | null>;
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

export declare class EngineRuns implements HostedRuns {
    constructor(ctx: EngineContext, engine: RunEngine);
    start(run: LoopRun): Promise<void>;
    driveToEnd(run: LoopRun): Promise<void>;
    untilEnd(run: LoopRun): Promise<void>;
    checkLiveness(session: SessionRow): Promise<SessionRow>;
    readonly local: () => null;
    readonly isDriving: () => boolean;
    notify(): void;
    assertOpen(): void;
}

export interface EngineSeams extends OperationSeams {
    readonly directory?: AgentDirectory;
}

export interface ExecutorHost<Runs extends HostedRuns> extends Omit<HostTraits, 'isDriving'> {
    createRuns(ctx: EngineContext): Runs;
    readonly runsElsewhere?: boolean;
    readonly directory?: AgentDirectory | undefined;
}

export interface ExecutorOptions {
    readonly logger?: Logger;
    readonly serviceName?: string;
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

export type GiveUpReason = 'timeout' | 'error' | 'dispatch_failed';

export interface HookRow {
    readonly operation: 'begin' | 'think' | 'tool' | 'start child' | 'settle' | 'end' | 'sweep';
    readonly when: 'before' | 'after';
}

export interface Host extends LoopOperations {
    runChild(run: LoopRun, index: number, child: LoopRun): Promise<ChildEnd>;
    pause(run: LoopRun): Promise<void>;
    startTimer(ms: number): LoopTimer;
    shouldYield(run: LoopRun): Promise<boolean>;
    describe(error: unknown): RunFailure;
    warn(event: string, run: LoopRun, error: string): void;
}

export interface HostSeams extends OperationSeams {
    readonly runLoop?: typeof runSession;
    readonly shareMemory?: boolean;
    readonly attempts?: number;
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
    untilEnd(run: LoopRun): Promise<void>;
    notify(sessionId: string): void;
    readonly isDriving: EngineContext['isDriving'];
}

export type KnownKeys<Options> = {
    readonly [Key in keyof Required<Options>]: true;
};

export declare const LOOP_VERSION = 1;

export declare class LocalRuns implements HostedRuns {
    constructor(ctx: EngineContext, seams?: HostSeams);
    assertOpen(): void;
    start(run: LoopRun): Promise<void>;
    driveToEnd(run: LoopRun): Promise<void>;
    local(run: LoopRun): Promise<EndedRun | null> | null;
    checkLiveness(session: SessionRow): Promise<SessionRow>;
    untilEnd(): Promise<void>;
    isDriving(sessionId: string, epoch: number): boolean;
    notify(sessionId: string): void;
    shutdown(graceMs: number): Promise<void>;
}

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

export declare const MESSAGE_MARKERS: readonly string[];

export interface Operations extends Omit<LoopOperations, 'settle' | 'think' | 'tool' | 'startChild'> {
    settle(run: LoopRun, scope?: Pick<OperationScope, 'attempt'>): Promise<SettleResult>;
    think(run: LoopRun, scope: OperationScope): Promise<ThinkResult>;
    tool(run: LoopRun, call: PlanEntry, scope: OperationScope): Promise<Done>;
    readonly startChild: (run: LoopRun, index: number, scope?: Pick<OperationScope, 'signal'>) => Promise<StartedChild>;
    stop(run: LoopRun, reason: string): Promise<void>;
}

export interface OptionNames<Options = never> {
    readonly of: string;
    readonly known: [Options] extends [never] ? object : KnownKeys<Options>;
    readonly otherNames?: OtherNames;
}

export interface OuterScope {
    readonly signal: AbortSignal;
    readonly stopReason: () => StopReason;
    readonly attempt: number;
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

export interface RunEngine {
    readonly name: string;
    start(run: LoopRun): Promise<void>;
    untilEnd(run: LoopRun, over: AbortSignal): Promise<unknown>;
    readonly isAlive: IsRunAlive;
}

export interface RunFailure {
    readonly code: string;
    readonly message: string;
}

export declare const SESSION_MARKERS: readonly string[];

export declare class SessionExecutor<Runs extends HostedRuns = HostedRuns> implements AgentExecutor {
    protected readonly runs: Runs;
    protected constructor(parts: ExecutorParts, host: ExecutorHost<Runs>);
    execute<Agent extends AgentConfig>(agent: Agent, input: InputOf<Agent>, options?: ExecuteOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    resume<Agent extends AgentConfig>(agent: Agent, sessionId: string, options?: ResumeOptions): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    resume(target: ResumeTarget | AgentConfig, second?: string | ResumeOptions, third?: ResumeOptions): Promise<AgentExecutionHandle>;
    retry<Agent extends AgentConfig>(agent: Agent, sessionId: string): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>>;
    retry(target: string | AgentConfig | {
        readonly sessionId: string;
    }, second?: string): Promise<AgentExecutionHandle>;
    submitToolResult(submission: SubmitToolResultInput, options?: SubmitOptions): Promise<SubmitOutcome>;
    branchSession(sessionId: string, options?: BranchOptions): Promise<{
        readonly sessionId: string;
    }>;
    cancelOpenCall(call: {
        readonly sessionId: string;
        readonly toolCallId: string;
    }, options?: CancelOptions): Promise<SubmitOutcome>;
    interrupt(sessionId: string, reason?: string, options?: StopOptions): Promise<InterruptResult>;
    abort(sessionId: string, reason?: string, options?: AbortOptions): Promise<AbortResult>;
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

export declare class StepMemory {
    cached(run: OwnedRun): StepRows | null;
    cache(run: OwnedRun, rows: StepRows): void;
    invalidate(run: OwnedRun): void;
    claimed(run: OwnedRun, rows: StepRows | null, record: RunRow | null): void;
    record(run: OwnedRun): RunRow | null;
    advance(run: OwnedRun, rows: StepRows): void;
    recorded(run: OwnedRun, row: JournalRow, calls?: readonly OpenCallRow[]): void;
    end(run: OwnedRun, ended: EndedRun): void;
    ended(run: OwnedRun): EndedRun | null;
    unwritten(run: OwnedRun, stepId: number): readonly JournalRow[];
    usage(run: OwnedRun, stepId: number): readonly UsageRow[];
    add(run: OwnedRun, row: JournalRow, usage: readonly UsageRow[]): void;
    forget(run: OwnedRun): void;
}

export type StreamState = StreamClose | {
    readonly as: 'active';
};

export interface SweepTotals {
    readonly expired: number;
    readonly recovered: number;
    readonly failed: readonly string[];
}

export interface Sweeper {
    sweep(): Promise<SweepSummary>;
    resume(sessionId: string): Promise<unknown>;
}

export type ThinkResult = {
    readonly ok: true;
    readonly calls: readonly PlanEntry[];
} | Refusal;

export declare function assertSmall(what: string, payload: unknown): void;

export declare function checkBag(call: keyof OptionBags, given: object | null | undefined, name?: string): void;

export declare function checkEvery(path: string, everyMs: number): void;

export declare function checkExecutorOptions<Config extends ExecutorParts>(of: string, config: Config, own: KnownKeys<Omit<Config, keyof ExecutorParts>>): void;

export declare function checkNode({ process, Bun, Deno }?: NodeGlobals): void;

export declare function collectAgents(agent: AgentConfig): Map<string, AgentConfig>;

export declare function createAnnouncer(streams: StreamManager, logger: Logger, clock: AnnouncerClock, stateFor?: StateFor): Announcer;

export declare function createEngineContext(parts: ExecutorParts, directory: AgentDirectory, traits: HostTraits): EngineContext;

export declare function createEngineOperations(ctx: EngineContext, options: EngineOperationsOptions): EngineOperations;

export declare function createOperations(ctx: EngineContext, wrap?: (operations: Operations) => Operations): Operations;

export declare function findTranscriptFault(messages: readonly Message[]): string | null;

export declare function findUnknownKey(given: object, known: object, otherNames?: OtherNames): UnknownKey | null;

export declare function isStoreOutage(error: unknown): boolean;

export declare function readSubmitLimits(schema: object): SubmitSchemaLimits | null;

export declare function refuseUnknownOptions(owner: string, given: object, { of, known, otherNames }: OptionNames): void;

export declare function runSession(host: Host, run: LoopRun): Promise<LoopOutcome>;

export declare function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean>;

export declare function sweepAll(sweeper: Sweeper, { autoResume }: RecoverOptions): Promise<SweepTotals>;

export declare const systemClock: Clock;

export declare function unknownKeyText({ meant }: UnknownKey, of: string, known: object): string;
