// What `@helix-agents/http` exports. Written by `npm run api`; a report to read and compare, not a module.

export declare const BODY_FACTOR = 4;

export interface BodyBudget {
    open(): BodyHold;
}

export interface BodyHold {
    take(bytes: number): void;
    release(): void;
}

export interface ChunkEvent {
    readonly type: 'chunk';
    readonly sequence: number;
    readonly chunk: StreamChunk;
}

export declare const DEFAULT_BODY_LIMITS: BodyLimits;

export declare const DEFAULT_READER_LIMITS: ReaderLimits;

export declare const EVENT_STREAM_HEADERS: Readonly<Record<string, string>>;

export declare class HttpRefusal extends HelixError {
    readonly name: string;
    readonly status: number;
    readonly body: ErrorBody;
    readonly headers: Readonly<Record<string, string>>;
    constructor(status: number, body: RefusalBody, headers?: Readonly<Record<string, string>>);
}

export declare const MAX_BODY_BYTES_HEADER = "x-max-body-bytes";

export interface NodeRequest {
    readonly method?: string | undefined;
    readonly url?: string | undefined;
    readonly headers: {
        readonly [name: string]: string | readonly string[] | undefined;
    };
    readonly httpVersionMajor?: number | undefined;
    readonly body?: unknown;
    readonly protocol?: string | undefined;
    readonly socket?: object | undefined;
    on(event: 'data', listener: (bytes: Uint8Array) => void): unknown;
    on(event: 'end' | 'close', listener: () => void): unknown;
    on(event: 'error', listener: (error: Error) => void): unknown;
    pause(): unknown;
    resume(): unknown;
}

export interface NodeResponse {
    statusCode: number;
    readonly headersSent: boolean;
    readonly destroyed?: boolean;
    readonly writableFinished?: boolean;
    setHeader(name: string, value: string | readonly string[]): unknown;
    flushHeaders(): void;
    write(bytes: Uint8Array): boolean;
    end(): unknown;
    destroy(): unknown;
    on(event: 'close' | 'drain' | 'error' | 'finish', listener: () => void): unknown;
}

export type ReadBody = {
    readonly ok: true;
    readonly value: unknown;
    readonly bytes: Uint8Array<ArrayBuffer>;
} | {
    readonly ok: false;
    readonly fault: string;
};

export interface ReaderLimits {
    readonly heartbeatMs: number;
    readonly bufferBytes: number;
    readonly stallMs: number;
}

export declare function answerNode(request: NodeRequest, response: NodeResponse, handle: (request: Request) => Promise<Response>, address?: WebAddress): Promise<void>;

export declare function boundedArray<T>(item: z.ZodType<T>, { min, max }: {
    readonly min?: number;
    readonly max: number;
}): z.ZodType<T[]>;

export declare function boundedRecord<T>(value: z.ZodType<T>, max: number): z.ZodType<Record<string, T>>;

export declare function checkBodyHeaders(headers: Headers, maxBytes: number): number | null;

export declare function checkContentType(headers: Headers): void;

export declare function chunkFrame(event: ChunkEvent): Uint8Array;

export declare function clearResumeCookie(sessionId: string, options?: {
    readonly path?: string;
}): string;

export declare function createBodyBudget(maxBytes?: number): BodyBudget;

export declare function createResumeCookie(sessionId: string, intent: ResumePlace, options?: {
    readonly secure?: boolean;
    readonly path?: string;
}): string;

export declare function errorResponse(error: unknown, report: (failure: Failure) => void): Response;

export declare function eventStream({ frames, close }: FrameSource, options: EventStreamOptions): ReadableStream<Uint8Array>;

export declare function followStream<T extends {
    readonly sequence: number;
}, End>(options: FollowOptions<T, End>): Follower<T, End>;

export declare function forService(executor: AgentExecutor, serviceName: string | undefined): AgentExecutor;

export declare function formatEvent(data: unknown, id?: string | number): string;

export declare function formatNamedEvent(event: string, data: unknown): string;

export declare function invalidRequest(path: string, message: string): HttpRefusal;

export declare function json(status: number, body: unknown, headers?: Readonly<Record<string, string>>): Response;

export declare function notFound(error: string): HttpRefusal;

export declare function parseValue<T>(schema: z.ZodType<T>, value: unknown, { at, withIssues }?: ParseOptions): T;

export declare function payloadTooLarge(maxBytes: number): HttpRefusal;

export declare function readJsonBody(body: ReadableStream<Uint8Array> | null, declared: number | null, limits: BodyLimits, hold?: BodyHold): Promise<ReadBody>;

export declare function readResumeCookie(header: string, sessionId: string): ResumePlace | null;

export declare function sendResponse(answer: Response, response: NodeResponse, stallMs?: number): Promise<void>;

export declare function streamTails(streams: StreamManager): OpenStream<ChunkEvent>;

export declare function unavailable(error: string, retryAfterSeconds?: number): HttpRefusal;
