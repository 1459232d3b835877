// What `@helix-agents/store-sqlite` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface Sqlite {
    readonly stateStore: SqliteStateStore;
    readonly streamManager: SqliteStreamManager;
    readonly usageStore: SqliteUsageStore;
    readonly close: () => void;
}

export interface SqliteOptions {
    readonly synchronous?: 'full' | 'normal';
    readonly busyTimeoutMs?: number;
    readonly migrate?: boolean;
    readonly now?: () => number;
    readonly pollMs?: number;
}

export type SqliteSource = string | DatabaseSync;

export declare class SqliteStateStore extends SessionStateStoreFacade {
    constructor(source: SqliteSource, options?: SqliteOptions);
    close(): void;
}

export declare class SqliteStreamManager extends SqlStreamStore {
    constructor(source: SqliteSource, options?: SqliteOptions);
    close(): void;
}

export declare class SqliteUsageStore implements UsageStore {
    constructor(source: SqliteSource, options?: SqliteOptions);
    recordEntry(entry: UsageEntry): Promise<void>;
    getEntries(sessionId: string, filter?: {
        readonly kinds?: readonly UsageKind[];
    }): Promise<readonly UsageEntry[]>;
    getRollup(sessionId: string): Promise<UsageRollup>;
    close(): void;
}

export declare function openSqlite(path: string, options?: SqliteOptions): Sqlite;
