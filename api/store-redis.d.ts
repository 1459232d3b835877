// What `@helix-agents/store-redis` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface OpenRedisOptions extends RedisOptions, Pick<RedisStreamManagerOptions, 'ttlMs' | 'ttl' | 'maxChunks' | 'pollMs' | 'now'> {
    readonly logger?: Logger;
}

export interface OpenedRedis {
    readonly stateStore: RedisStateStore;
    readonly streamManager: RedisStreamManager;
    readonly usageStore: RedisUsageStore;
    readonly lockManager: RedisLockManager;
    readonly close: () => void;
}

export interface RedisClient {
    call(command: string, args: (string | number)[]): Promise<unknown>;
    readonly options: RedisClientOptions;
}

export interface RedisClientOptions {
    readonly keyPrefix?: string | undefined;
    readonly stringNumbers?: boolean | undefined;
    readonly scaleReads?: unknown;
    readonly redisOptions?: {
        readonly stringNumbers?: boolean | undefined;
    } | undefined;
}

export declare class RedisLockManager implements LockManager {
    constructor(client: RedisClient, options?: Pick<RedisOptions, 'prefix'>);
    acquire(key: string, { ttlMs }: {
        readonly ttlMs: number;
    }): Promise<LockLease | null>;
}

export interface RedisOptions {
    readonly prefix?: string;
    readonly clock?: 'server' | 'caller';
}

export declare class RedisStateStore extends SessionStateStoreFacade {
    readonly checked: Promise<void>;
    constructor(client: RedisClient, options?: RedisStateStoreOptions);
}

export interface RedisStateStoreOptions extends RedisOptions {
    readonly logger?: Logger;
    readonly streams?: RedisStreamManager;
}

export interface RedisStreamClient extends RedisClient {
    duplicate(): RedisSubscriber;
}

export declare class RedisStreamManager implements FullStreamManager, CarriedStreams {
    readonly database: StreamSettings;
    constructor(client: RedisStreamClient, options?: RedisStreamManagerOptions);
    createWriter(streamId: string, agentId: string, agentType: string): Promise<StreamWriter>;
    append(streamId: string, entries: readonly StreamEntry[], options?: AppendOptions): Promise<number>;
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
    endStream(streamId: string, finalOutput?: JsonValue): Promise<void>;
    failStream(streamId: string, error: string): Promise<void>;
    pauseStream(streamId: string): Promise<void>;
    reactivateStream(streamId: string): Promise<void>;
    openStream(streamId: string, agentId: string, agentType: string): Promise<void>;
    cleanupToStep(streamId: string, stepCount: number): Promise<void>;
    resetStream(streamId: string): Promise<void>;
    trimStream(streamId: string, throughSequence: number): Promise<void>;
    deleteStream(streamId: string): Promise<void>;
    wake(): Promise<void>;
    close(): void;
}

export interface RedisStreamManagerOptions extends Pick<RedisOptions, 'prefix'> {
    readonly ttlMs?: number;
    readonly ttl?: number;
    readonly maxChunks?: number;
    readonly pollMs?: number;
    readonly now?: () => number;
}

export interface RedisSubscriber {
    readonly options: object;
    subscribe(channel: string): Promise<unknown>;
    unsubscribe(channel: string): Promise<unknown>;
    on(event: 'message', listener: (channel: string, message: string) => void): unknown;
    on(event: 'ready', listener: () => void): unknown;
    on(event: 'error', listener: (error: Error) => void): unknown;
    disconnect(): void;
}

export declare class RedisUsageStore implements UsageStore {
    constructor(client: RedisClient, options?: RedisOptions);
    recordEntry(entry: UsageEntry): Promise<void>;
    getEntries(sessionId: string, filter?: {
        readonly kinds?: readonly UsageKind[];
    }): Promise<readonly UsageEntry[]>;
    getRollup(sessionId: string): Promise<UsageRollup>;
}

export declare function openRedis(client: RedisStreamClient, options?: OpenRedisOptions): OpenedRedis;
