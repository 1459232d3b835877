// What `@helix-agents/testing` exports. Written by `npm run api`; a report to read and compare, not a module.

export {
  HostSeams,
} from '@helix-agents/core/host';

export interface AgentFacts {
    readonly maxSteps: number;
    readonly tools: Readonly<Record<string, ToolFacts>>;
    readonly databases: 'one' | 'apart';
    readonly durability: 'call' | 'step';
    readonly canaries: Readonly<Record<string, string>>;
}

export interface BatchFailure {
    readonly world: string;
    readonly seed: number;
    readonly path: string;
    readonly schedule: Schedule;
    readonly violations: readonly Violation[];
}

export interface BatchOptions {
    readonly name: string;
    readonly open: OpenTestWorld;
    readonly seed: number;
    readonly runs: number;
    readonly path?: string;
    readonly faults?: boolean;
    readonly shrinks?: number;
}

export interface BatchResult {
    readonly runs: number;
    readonly coverage: Coverage;
    readonly failure: BatchFailure | null;
}

export interface ClientOperation {
    readonly at: number;
    readonly until: number | null;
    readonly process: string;
    readonly rootId: string;
    readonly request: ClientRequest;
    readonly outcome: ClientOutcome;
}

export type ClientOutcome = {
    readonly kind: 'ok';
    readonly status: string;
    readonly runId?: string;
}
 | {
    readonly kind: 'error';
    readonly code: string;
} | {
    readonly kind: 'unknown';
};

export type ClientRequest = {
    readonly kind: 'execute';
    readonly message: string;
    readonly supersede: boolean;
} | {
    readonly kind: 'submit';
    readonly submission: SubmitToolResult;
} | {
    readonly kind: 'resume';
} | {
    readonly kind: 'retry';
} | {
    readonly kind: 'interrupt';
} | {
    readonly kind: 'abort';
} | {
    readonly kind: 'sweep';
};

export type Command = Place & (Request | Disturbance);

export interface Coverage {
    readonly seen: Record<string, number>;
    operations: number;
    succeeded: number;
}

export type Disturbance = {
    readonly kind: 'kill';
} | {
    readonly kind: 'shutdown';
} | {
    readonly kind: 'pause';
} | {
    readonly kind: 'continue';
} | {
    readonly kind: 'jump';
    readonly by: Jump;
} | {
    readonly kind: 'store-fault';
    readonly fault: LostCall;
    readonly count: number;
} | {
    readonly kind: 'model-fault';
    readonly fault: 'retryable' | 'final';
};

export interface DumpedSession {
    readonly session: SessionRow;
    readonly interrupt: InterruptRow | null;
    readonly journal: readonly JournalRow[];
    readonly messages: readonly MessageRow[];
    readonly references: readonly ChildReferenceRow[];
    readonly runs: readonly RunRow[];
    readonly checkpoints: readonly CheckpointRow[];
    readonly calls: readonly OpenCallRow[];
}

export interface DumpedTree {
    readonly rootId: string;
    readonly sessions: readonly DumpedSession[];
    readonly calls: readonly OpenCallRow[];
}

export interface ExecutorParts extends ExecutorOptions {
    readonly stateStore: StateStore;
    readonly streamManager: FullStreamManager;
    readonly llmAdapter: LLMAdapter;
    readonly agentRegistry: AgentRegistryLike;
    readonly clock: Clock;
    readonly leaseMs?: number;
    readonly seams: HostSeams & {
        readonly life?: ProcessLife;
    };
}

export interface ExecutorUnderTest extends AgentExecutor {
    submitToolResult: NonNullable<AgentExecutor['submitToolResult']>;
    sweep(): Promise<{
        readonly expired: number;
        readonly reminded: number;
        readonly closed: number;
        readonly purged: number;
        readonly recovered: number;
        readonly answered: readonly string[];
    }>;
    supervise(options?: {
        readonly everyMs?: number;
        readonly autoResume?: boolean;
    }): () => Promise<void>;
    recover(): Promise<void>;
    pruneSessions(options: PruneOptions): Promise<PruneSummary>;
    trimStreams(options: TrimOptions): Promise<TrimSummary>;
    shutdown(options?: {
        readonly graceMs?: number;
    }): Promise<void>;
}

export declare const FAULT_KINDS: readonly ['kill', 'shutdown', 'pause', 'clock-jump', 'store-before', 'store-after', 'model-error'];

export interface Fault {
    readonly at: number;
    readonly kind: FaultKind;
    readonly process: string;
}

export type FaultKind = (typeof FAULT_KINDS)[number];

export type FullStateStore = SessionStateStore & StateStore;

export declare const HISTORY_RULES: readonly Rule[];

export interface History {
    readonly rest: StoreDump;
    readonly end: StoreDump;
    readonly streams: readonly StreamDump[];
    readonly writes: readonly StoreWrite[];
    readonly appends: readonly StreamAppend[];
    readonly client: readonly ClientOperation[];
    readonly executions: readonly ToolStart[];
    readonly prompts: readonly Prompt[];
    readonly faults: readonly Fault[];
    readonly readers: readonly (readonly StoredChunk[])[];
    readonly facts: AgentFacts;
    readonly stuck: readonly string[];
    readonly counts: {
        readonly steps: number;
        readonly virtualMs: number;
    };
}

export declare class InjectedFaultError extends Error {
    readonly name: string;
    readonly method: string;
    constructor(method: string);
}

export interface InterceptedCall {
    readonly method: string;
    readonly args: readonly unknown[];
    readonly perform: () => Promise<unknown>;
}

export interface LockManagerUnderTest {
    readonly locks: LockManager;
    readonly advance: (ms: number) => Promise<void>;
    close(): Promise<void>;
}

export interface ManualClock {
    readonly now: () => number;
    readonly setTimer: (ms: number, callback: () => void) => () => void;
    readonly sleep: (ms: number) => Promise<void>;
    readonly advance: (ms: number) => Promise<void>;
    readonly set: (time: number) => void;
    readonly pending: number;
}

export interface MigratedStore {
    readonly store: Store;
    readonly streams: FullStreamManager;
    readonly raise: () => Promise<unknown>;
}

export interface MortalServer {
    readonly stateStore: StateStore;
    readonly streamManager: FullStreamManager;
    kill(): Promise<void>;
    restart(): Promise<void>;
    close(): Promise<void>;
}

export type OpenTestWorld = (options: TestWorldOptions) => TestWorld | Promise<TestWorld>;

export interface ProcessLife {
    readonly isSilent: boolean;
    pass(): Promise<void>;
}

export interface Prompt {
    readonly at: number;
    readonly process: string;
    readonly sessionId: string;
    readonly agentType: string;
    readonly messages: readonly Message[];
}

export interface QueriedWorld extends TestWorld {
    readonly query: (sql: string) => Promise<Rows>;
}

export type Request = {
    readonly kind: 'execute';
    readonly supersede: boolean;
} | {
    readonly kind: 'submit';
    readonly call: number;
    readonly how: SubmitHow;
} | {
    readonly kind: 'resubmit';
    readonly submission: number;
} | {
    readonly kind: 'resume';
} | {
    readonly kind: 'resume-twice';
} | {
    readonly kind: 'retry';
} | {
    readonly kind: 'interrupt';
} | {
    readonly kind: 'abort';
} | {
    readonly kind: 'sweep';
} | {
    readonly kind: 'read';
};

export interface Rule {
    readonly id: string;
    readonly check: (history: History) => readonly string[];
}

export interface RunOptions {
    readonly calm?: boolean;
}

export interface Schedule {
    readonly seed: number;
    readonly roots: number;
    readonly durability: 'call' | 'step';
    readonly strategy: number;
    readonly commands: readonly Command[];
}

export interface ServedWorlds {
    readonly open: OpenTestWorld;
    readonly close: () => Promise<void>;
}

export interface SessionStoreUnderTest {
    readonly store: Store;
    close(): Promise<void>;
    reopen?(): Promise<Store>;
    openSecond?(): Promise<Store>;
    openOnServerClock?(): Promise<Store>;
    readonly streams?: FullStreamManager;
}

export interface SharedStoreUnderTest extends ProcessStores {
    readonly args: readonly string[];
    close(): Promise<void>;
}

export interface SplitDatabase extends StateStore {
    readonly usage: UsageStore;
}

export interface SplitHost {
    readonly databases: Databases;
    readonly index: SessionIndex;
    readonly usage: UsageStore;
    readonly seams: HostSeams;
}

export interface SplitHostOptions {
    newDatabase(): SplitDatabase;
    readonly seed: number;
    readonly lostReplies?: number;
}

export interface StateStoreUnderTest {
    readonly store: FullStateStore;
    close(): Promise<void>;
    openSecond?(): Promise<FullStateStore>;
}

export interface StatusOperation {
    readonly start: number;
    readonly end: number;
    readonly expected: readonly SessionStatus[];
    readonly expectedVersion?: number;
    readonly next: SessionStatus;
    readonly result: CompareAndSetResult;
}

export interface StoreCapabilities {
    readonly shared: boolean;
    readonly persistent: boolean;
    readonly serverClock: boolean;
    readonly carriesStreams?: boolean;
}

export interface StoreDump {
    readonly at: number;
    readonly now: number;
    readonly trees: readonly DumpedTree[];
}

export type StoreFault = 'pass' | 'fail-before' | 'fail-after';

export type StoreFaultHook = (method: keyof SessionStore, plan?: CommitPlan) => StoreFault | Promise<StoreFault>;

export type StoreWrite = {
    readonly at: number;
    readonly process: string;
    readonly database: string;
} & ({
    readonly kind: 'commit';
    readonly plan: CommitPlan;
    readonly applied: boolean;
} | {
    readonly kind: 'answer';
    readonly input: AnswerCall;
    readonly taken: boolean;
    readonly row: OpenCallRow | null;
} | {
    readonly kind: 'expire';
    readonly rows: readonly OpenCallRow[];
} | {
    readonly kind: 'purge';
    readonly rootId: string;
    readonly now: number;
} | {
    readonly kind: 'interrupt';
    readonly sessionId: string;
    readonly row: InterruptRow | null;
} | {
    readonly kind: 'renew';
    readonly input: RenewLease;
    readonly owned: boolean;
});

export interface StreamAppend {
    readonly at: number;
    readonly askedAt: number;
    readonly process: string;
    readonly streamId: string;
    readonly head: number;
}

export interface StreamCapabilities {
    readonly shared: boolean;
    readonly persistent: boolean;
}

export interface StreamDump {
    readonly streamId: string;
    readonly status: StreamStatus | null;
    readonly chunks: readonly StoredChunk[];
}

export interface StreamManagerUnderTest {
    readonly streams: FullStreamManager;
    close(): Promise<void>;
    reopen?(): Promise<FullStreamManager>;
    openSecond?(): Promise<FullStreamManager>;
}

export declare const T0 = 1800000000000;

export interface TestClocksApartOptions {
    readonly name: string;
    create(): Promise<TestWorld>;
}

export interface TestCrashesOptions {
    readonly name: string;
    readonly open: OpenTestWorld;
    readonly stride?: number;
    readonly apart?: boolean;
    readonly seed?: number;
}

export interface TestGoldenOptions {
    readonly name: string;
    readonly fixture: string;
    create(): Promise<TestWorld>;
    dump(world: TestWorld): Promise<string>;
    restore(dump: string): Promise<TestWorld>;
}

export interface TestLockManagerOptions {
    readonly name: string;
    create(): Promise<LockManagerUnderTest>;
    readonly ttlMs: number;
}

export interface TestOperatorQueriesOptions {
    readonly name: string;
    readonly dialect: 'sqlite' | 'postgres';
    create(): Promise<QueriedWorld>;
}

export interface TestRuntimeOptions {
    readonly name: string;
    readonly keepsRunsAlive?: 'lease' | 'engine';
    readonly apart?: boolean;
    readonly open: OpenTestWorld;
    readonly sameAs?: OpenTestWorld;
    readonly plays?: (place: number) => boolean;
}

export interface TestSchedulesOptions {
    readonly name: string;
    readonly create: () => Promise<ServedWorlds>;
    readonly seed: number;
    readonly sameAs?: OpenTestWorld;
    readonly runs: number;
}

export interface TestServerKilledOptions {
    readonly name: string;
    readonly start: () => Promise<MortalServer>;
}

export interface TestSessionStoreOptions {
    readonly name: string;
    create(): Promise<SessionStoreUnderTest>;
    readonly capabilities: StoreCapabilities;
}

export interface TestStateStoreOptions {
    readonly name: string;
    create(): Promise<StateStoreUnderTest>;
    readonly capabilities: Pick<StoreCapabilities, 'shared'>;
}

export interface TestStoreProcessesOptions {
    readonly name: string;
    readonly program: URL;
    readonly nodeArgs?: readonly string[];
    create(): Promise<SharedStoreUnderTest>;
}

export interface TestStreamManagerOptions {
    readonly name: string;
    create(): Promise<StreamManagerUnderTest>;
    readonly capabilities: StreamCapabilities;
}

export interface TestUsageStoreOptions {
    readonly name: string;
    create(): Promise<UsageStoreUnderTest>;
}

export interface TestWorld {
    readonly stateStore: StateStore;
    readonly streamManager: FullStreamManager;
    readonly usageStore: UsageStore;
    readonly databases?: Databases;
    start(parts: ExecutorParts): ExecutorUnderTest;
    close(): void | Promise<void>;
}

export interface TestWorldOptions {
    readonly now: () => number;
    readonly seed: number;
    readonly title: string;
    readonly watch: (store: SessionStore) => SessionStore;
}

export interface ToolFacts {
    readonly kind: 'server' | 'client' | 'gated' | 'finish';
    readonly execution: ToolExecution;
}

export interface ToolStart {
    readonly at: number;
    readonly process: string;
    readonly sessionId: string;
    readonly runId: string;
    readonly callId: string;
    readonly toolName: string;
    readonly input: JsonValue;
}

export interface UsageStoreUnderTest {
    readonly usage: UsageStore;
    readonly sessions: SessionStore | null;
    close(): Promise<void>;
}

export interface Violation {
    readonly rule: string;
    readonly detail: string;
}

export declare function callRow(toolCallId: string, given?: Partial<OpenCallRow>): OpenCallRow;

export declare function checkHistory(history: History): Violation[];

export declare function checkpointRow(version: number, given?: Partial<CheckpointRow>): CheckpointRow;

export declare function coverageGaps(coverage: Coverage): string[];

export declare function describeFailure({ world, seed, path, schedule, violations }: BatchFailure): string;

export declare function emptyCoverage(): Coverage;

export declare function expectNoMoreWrites({ store, streams, raise }: MigratedStore): Promise<void>;

export declare function faultyStore<S extends SessionStore>(store: S, hook: StoreFaultHook): S;

export declare function findStatusLogFault(log: readonly StatusOperation[], first: {
    readonly version: number;
    readonly status: SessionStatus;
}): string | null;

export declare function freshCommitId(): string;

export declare function hashHistory(history: History): string;

export declare function intercept<T extends object>(target: T, around: (call: InterceptedCall) => Promise<unknown>): T;

export declare function manualClock(start?: number): ManualClock;

export declare function mergeCoverage(into: Coverage, other: Coverage): void;

export declare function messageRow(sequence: number, given?: Partial<MessageRow>): MessageRow;

export declare function moveStatusAtRandom(store: SessionStateStore, sessionId: string, options: {
    readonly times: number;
    readonly now: () => number;
    readonly random: () => number;
}): Promise<StatusOperation[]>;

export declare function observableHistory(history: History): unknown;

export declare function planFor(session: SessionRow, parts?: Partial<CommitPlan>): CommitPlan;

export declare function planRow(given?: JournalPlace & {
    readonly data?: StepRecord;
}): JournalRow;

export declare function recordFor(session: SessionRow, insert: CommitInserts): CommitPlan;

export declare function refOf(row: SessionRef): SessionRef;

export declare function referenceRow(subSessionId: string, given?: Partial<ChildReferenceRow>): ChildReferenceRow;

export declare function replayHost(loop?: typeof runSession): HostSeams;

export declare function resultRow(value: JsonValue, given?: JournalPlace): JournalRow;

export declare function runBatch(options: BatchOptions): Promise<BatchResult>;

export declare function runRow(runId: string, given?: Partial<RunRow>): RunRow;

export declare function runSchedule(open: OpenTestWorld, schedule: Schedule, options?: RunOptions): Promise<History>;

export declare function sampleSchedules(options: {
    readonly seed: number;
    readonly count: number;
    readonly faults: boolean;
}): Schedule[];

export declare function scheduleArbitrary(options: {
    readonly faults: boolean;
}): fc.Arbitrary<Schedule>;

export declare function seed(store: SessionStore, insert: CommitInserts & {
    readonly sessions: readonly [SessionRow, ...SessionRow[]];
}): Promise<void>;

export declare function sessionRow(given?: Partial<SessionRow>): SessionRow;

export declare function settledCallRow(toolCallId: string, given?: Partial<OpenCallRow>): OpenCallRow;

export declare function splitHost(options: SplitHostOptions): SplitHost;

export declare function startRow(attempt: string, given?: JournalPlace): JournalRow;

export declare function testClocksApart(options: TestClocksApartOptions): void;

export declare function testCrashes(options: TestCrashesOptions): void;

export declare function testGolden(options: TestGoldenOptions): void;

export declare function testLockManager(options: TestLockManagerOptions): void;

export declare function testOperatorQueries(options: TestOperatorQueriesOptions): void;

export declare function testRuntime(options: TestRuntimeOptions): void;

export declare function testSchedules(options: TestSchedulesOptions): void;

export declare function testServerKilled({ name, start }: TestServerKilledOptions): void;

export declare function testServerRestarted(options: TestServerRestartedOptions): void;

export declare function testSessionStore(options: TestSessionStoreOptions): void;

export declare function testStateStore(options: TestStateStoreOptions): void;

export declare function testStoreProcesses(options: TestStoreProcessesOptions): void;

export declare function testStreamManager(options: TestStreamManagerOptions): void;

export declare function testUsageStore(options: TestUsageStoreOptions): void;

export declare function textChunk(delta: string, given?: Partial<Omit<ChunkOf<'text_delta'>, 'type' | 'delta'>>): ChunkOf<'text_delta'>;

export declare function usageEntry(id: string, given?: Partial<UsageEntry>): UsageEntry;

export declare function usageRow(id: string, given?: Partial<UsageRow>): UsageRow;

export declare function wrapDatabases(databases: Databases, wrap: (store: SessionStore, ref: SessionRef) => SessionStore): Databases;
