// What `@helix-agents/store-memory` exports. Written by `npm run api`; a report to read and compare, not a module.

export declare class InMemoryLockManager implements LockManager {
    constructor(options?: {
        readonly now?: () => number;
    });
    acquire(key: string, options: {
        readonly ttlMs: number;
    }): Promise<LockLease | null>;
}

export declare class InMemoryStateStore extends SessionStateStoreFacade {
    readonly database: MemoryDatabase;
    constructor(options?: {
        readonly database?: MemoryDatabase;
    });
    clear(): void;
    getAllSessionIds(): string[];
}

export declare class InMemoryStreamManager implements FullStreamManager, CarriedStreams {
    readonly database: MemoryDatabase;
    constructor(options?: InMemoryStreamManagerOptions);
    createWriter(streamId: string, _agentId: string, _agentType: string): Promise<StreamWriter>;
    append(streamId: string, entries: readonly StreamEntry[], { create }?: AppendOptions): Promise<number>;
    appendAndClose(streamId: string, entries: readonly StreamEntry[], how: StreamClose, options?: AppendOptions): Promise<number>;
    createReader(streamId: string): Promise<StreamReader | null>;
    createResumableReader(streamId: string, options?: {
        readonly afterSequence?: number;
    }): Promise<StreamReader<StoredChunk> | null>;
    readChunks(streamId: string, range?: {
        readonly after?: number;
        readonly limit?: number;
    }): Promise<readonly StoredChunk[]>;
    getStreamInfo(streamId: string): Promise<StreamInfo | null>;
    endStream(streamId: string, _finalOutput?: JsonValue): Promise<void>;
    failStream(streamId: string, _error: string): Promise<void>;
    pauseStream(streamId: string): Promise<void>;
    reactivateStream(streamId: string): Promise<void>;
    openStream(streamId: string): Promise<void>;
    cleanupToStep(streamId: string, stepCount: number): Promise<void>;
    resetStream(streamId: string): Promise<void>;
    trimStream(streamId: string, throughSequence: number): Promise<void>;
    deleteStream(streamId: string): Promise<void>;
    wake(): Promise<void>;
}

export interface InMemoryStreamManagerOptions {
    readonly database?: MemoryDatabase;
    readonly now?: () => number;
}

export declare class InMemoryUsageStore implements UsageStore {
    constructor(options?: {
        readonly database?: MemoryDatabase;
    });
    recordEntry(entry: UsageEntry): Promise<void>;
    getEntries(sessionId: string, filter?: {
        readonly kinds?: readonly UsageKind[];
    }): Promise<readonly UsageEntry[]>;
    getRollup(sessionId: string): Promise<UsageRollup>;
}

export declare class MemoryDatabase {
    readonly sessions: Map<string, SessionRow>;
    readonly trees: Map<string, Set<string>>;
    readonly tables: Map<string, SessionTables>;
    readonly calls: Map<string, RootCalls>;
    readonly runs: Map<string, RunRow>;
    readonly streams: Map<string, MemoryStream>;
    clear(): void;
}

export declare function createMemorySessionStore(database: MemoryDatabase): SessionStore & SessionIndex & CarryingSessions;
