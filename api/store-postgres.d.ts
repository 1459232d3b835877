// What `@helix-agents/store-postgres` exports. Written by `npm run api`; a report to read and compare, not a module.

export {
  StoreUnavailableError,
} from '@helix-agents/core';

export interface PgAdapterOptions {
    readonly prepared?: boolean;
    readonly groupCommits?: boolean;
    readonly migrate?: boolean;
    readonly clock?: 'server' | 'caller';
    readonly logger?: Logger;
}

export interface PgClient {
    query(text: string, values: unknown[]): Promise<PgResult>;
}

export interface PgListenClient {
    query(text: string): Promise<PgResult>;
    on(event: 'notification' | 'error' | 'end', listener: (message?: unknown) => void): unknown;
    release(destroy?: boolean): void;
}

export interface PgListenPool {
    connect(): Promise<PgListenClient>;
    readonly options?: {
        readonly max?: number | undefined;
    };
}

export interface PgResult {
    readonly rows: readonly unknown[];
    readonly rowCount?: number | null;
}

export interface Postgres {
    readonly stateStore: PostgresStateStore;
    readonly streamManager: PostgresStreamManager;
    readonly usageStore: PostgresUsageStore;
    readonly lockManager: PostgresLockManager;
    readonly migrations: PostgresMigrations;
    readonly close: () => void;
}

export interface PostgresAdapter {
    readonly driver: PgDriver;
    readonly bareDriver: PgDriver;
    readonly client: PgClient;
    readonly clock: SqlClock;
    readonly groupCommits: boolean;
    readonly notifier: StreamNotifier;
}

export declare class PostgresLockManager implements LockManager {
    constructor({ driver }: PostgresAdapter);
    acquire(key: string, options: {
        readonly ttlMs: number;
    }): Promise<LockLease | null>;
}

export declare class PostgresMigrations {
    constructor(adapter: PostgresAdapter);
    run(): Promise<{
        readonly current: number;
    }>;
}

export declare class PostgresStateStore extends SessionStateStoreFacade {
    constructor(database: PostgresAdapter);
}

export declare class PostgresStreamManager extends SqlStreamStore {
    constructor(database: PostgresAdapter, options?: PostgresStreamOptions);
    close(): void;
}

export interface PostgresStreamOptions {
    readonly now?: () => number;
    readonly listen?: PgListenPool;
    readonly hint?: boolean;
    readonly pollMs?: number;
}

export declare class PostgresUsageStore implements UsageStore {
    constructor({ driver }: PostgresAdapter);
    recordEntry(entry: UsageEntry): Promise<void>;
    getEntries(sessionId: string, filter?: {
        readonly kinds?: readonly UsageKind[];
    }): Promise<readonly UsageEntry[]>;
    getRollup(sessionId: string): Promise<UsageRollup>;
}

export declare function createPgAdapter(client: PgClient, options?: PgAdapterOptions): PostgresAdapter;

export declare function openPostgres(client: PgClient, options?: PgAdapterOptions & PostgresStreamOptions): Postgres;
