// What `@helix-agents/store-sql` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface AppendWrite {
    readonly create: boolean;
    readonly how?: StreamClose;
}

export interface Column {
    readonly name: string;
    readonly type: 'text' | 'integer' | 'time' | 'boolean' | 'json' | 'document';
    readonly nullable: boolean;
}

export type Columns<Row> = {
    readonly [Field in keyof Row]-?: Column;
};

export interface Dialect {
    readonly name: 'sqlite' | 'postgres';
    readonly howToMigrate: string;
    readonly findTable: string;
    migration(version: number, statements: readonly string[]): readonly Statement[];
    text(value: string): string;
    isOneOf(column: string, list: string): string;
    contains(column: string, text: string): string;
    listHasAll(column: string, list: string): string;
    objectHasAll(column: string, object: string): string;
    interruptedSession(columns: string, where: string): string;
    readonly forUpdate: string;
    readonly writesInOneStatement: boolean;
    readonly emptyWriteIsCheap: boolean;
    insertOrder(alias: string): string;
    unindexed(column: string): string;
    indexedBy(index: string): string;
    readonly leftFirstJoin: string;
}

export declare const POSTGRES_NOW = "(extract(epoch from statement_timestamp()) * 1000)::bigint";

export type PlacedRow = readonly unknown[];

export interface Read<Param = SqlParam> extends Statement<Param> {
    readonly isNeeded?: (before: readonly (readonly SqlRow[])[]) => boolean;
}

export declare const SCHEMA_VERSION: number;

export interface SqlClock {
    originOf(now: number): number;
    at(param: string): string;
}

export interface SqlDriver<Param = SqlParam> {
    readonly dialect: Dialect;
    readonly canStop: boolean;
    batch(statements: readonly Statement<Param>[], options?: {
        readonly relaxed?: boolean;
        readonly writer?: string;
        readonly stopAtMiss?: boolean;
    }): Promise<readonly StatementResult[]>;
    readBatch(reads: readonly Read<Param>[]): Promise<readonly (readonly SqlRow[])[]>;
    all(statement: Statement<Param>): Promise<readonly SqlRow[]>;
    isUniqueViolation(error: unknown): boolean;
}

export type SqlParam = string | number | null;

export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlSessionStoreOptions {
    readonly newWriteId?: () => string;
    readonly clock?: SqlClock;
    readonly database?: object;
}

export declare class SqlStreamStore implements FullStreamManager, CarriedStreams {
    readonly database: object;
    constructor(driver: SqlDriver, options?: SqlStreamStoreOptions);
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
    wake(streamId: string): Promise<void>;
    closeReaders(): void;
}

export interface SqlStreamStoreOptions {
    readonly database?: object;
    readonly notifier?: StreamNotifier;
    readonly now?: () => number;
    readonly pollMs?: number;
    readonly writes?: StreamWrites;
}

export interface Statement<Param = SqlParam> {
    readonly sql: string;
    readonly params: readonly Param[];
    readonly byPlace?: true;
}

export interface StatementResult {
    readonly changes: number;
    readonly rows: readonly SqlRow[];
}

export declare class StoreBusyError extends HelixError {
    readonly name: string;
    constructor(timeoutMs: number, cause: unknown);
    static isInstance(value: unknown): value is StoreBusyError;
}

export interface StreamNotifier {
    notify(streamId: string): void;
    subscribe(streamId: string, listener: () => void): () => void;
}

export interface StreamWrites {
    append(streamId: string, entries: readonly StreamEntry[], now: number, write: AppendWrite): Promise<number | null>;
    discardSteps(streamId: string, stepCount: number, now: number): Promise<void>;
    resync(streamId: string, now: number): Promise<void>;
}

export interface Table<Row> {
    readonly name: string;
    readonly cells: readonly Cell<Row>[];
    readonly byField: ReadonlyMap<string, Column>;
    readonly derived: readonly Derived<Row>[];
}

export declare function assertSchema(driver: SqlDriver): Promise<void>;

export declare const callerClock: SqlClock;

export declare function closedColumns(how: StreamClose): readonly [string, string | null, string | null];

export declare function columnsOf<Row>({ cells }: Table<Row>): readonly Column[];

export declare function createLocalNotifier(): StreamNotifier;

export declare function createSqlSessionStore(driver: SqlDriver, options?: SqlSessionStoreOptions): SessionStore & SessionIndex & Partial<CarryingSessions>;

export declare function createSqlStreamStore(driver: SqlDriver, options?: SqlStreamStoreOptions): SqlStreamStore;

export declare function createSqlUsageStore(driver: SqlDriver): UsageStore;

export declare function encodeFields<Row extends object>({ byField }: Table<Row>, fields: Partial<Row>, origin?: number): Readonly<Record<string, SqlParam>>;

export declare function encodeRow<Row>({ cells, derived }: Table<Row>, row: Row, origin?: number): readonly SqlParam[];

export declare function firstOfEachKey(entries: readonly StreamEntry[]): readonly StreamEntry[];

export declare function insertColumns<Row>(table: Table<Row>): readonly string[];

export declare function nowParam(clock: SqlClock, now: number): number;

export declare const postgresClock: SqlClock;

export declare const postgresDialect: Dialect;

export declare function readSchemaVersion(driver: SqlDriver): Promise<number>;

export declare function renderBatch(plan: CommitPlan, writeId?: string | null): Statement[];

export declare function runMigrations(driver: SqlDriver): Promise<{
    readonly current: number;
}>;

export declare function sessionGuards(plan: CommitPlan): readonly SessionGuard[];

export declare const sqliteDialect: Dialect;

export declare function withSchema(driver: SqlDriver, migrate: boolean): SqlDriver;
