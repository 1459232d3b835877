// What `@helix-agents/agent-server` exports. Written by `npm run api`; a report to read and compare, not a module.

export {
  ChunkEvent,
  NodeRequest,
  NodeResponse,
} from '@helix-agents/http';

export {
  HelixPayloadTooLargeError,
  HelixStreamError,
} from '@helix-agents/core';

export type AbortAnswer = AbortResult;

export declare class AgentServer implements FetchHandler {
    constructor(config: AgentServerConfig);
    readonly fetch: (request: Request) => Promise<Response>;
    handle(request: Request, path: string): Promise<Response>;
    handles(path: string): boolean;
    toExpressMiddleware(chatPath?: string): ExpressHandler;
    get openApi(): OpenApiDocument;
    startAgent(request: StartRequest & {
        readonly userId?: string;
    }): Promise<SessionStarted>;
    resumeAgent(request: ResumeRequest): Promise<RunStarted>;
    streamAgent(request: {
        readonly sessionId: string;
        readonly afterSequence?: number;
    }): Promise<SessionFeed>;
    getStatus(sessionId: string): Promise<SessionStatusView>;
    getSession(sessionId: string, query?: SessionDetailQuery): Promise<SessionDetailView>;
    listSessions(query?: SessionsQuery): Promise<WirePage<SessionSummary>>;
    listOpenCalls(query?: OpenCallsQuery): Promise<WirePage<OpenCallView>>;
    interruptAgent({ sessionId, reason }: StopRequest): Promise<InterruptResult>;
    abortAgent({ sessionId, reason }: StopRequest): Promise<AbortResult>;
    submitToolResult(submission: SubmitToolResultInput, options?: {
        answeredBy?: string;
    }): Promise<SubmitOutcome>;
    close(options?: {
        readonly graceMs?: number;
    }): Promise<void>;
}

export interface AgentServerConfig {
    readonly agents?: {
        readonly [agentType: string]: AgentConfig;
    };
    readonly executor?: AgentExecutor;
    readonly stateStore?: StateStore;
    readonly streamManager?: StreamManager;
    readonly chatHandler?: ChatHandler;
    readonly chatSnapshot?: ChatHandler;
    readonly resumeCookie?: false | ((sessionId: string, at: {
        readonly resumeFromSequence: number;
    }, 
    options: {
        readonly secure: boolean;
    }) => string);
    readonly authenticate?: Authenticate;
    readonly allowUnauthenticated?: boolean;
    readonly authenticateBeforeBody?: boolean;
    readonly authenticateTimeoutMs?: number;
    readonly sessionTokens?: SessionTokens;
    readonly logger?: AnyLogger;
    readonly serviceName?: string;
    readonly submitToolResultSchema?: SubmitToolResultSchema;
    readonly verboseValidationErrors?: boolean;
    readonly maxBodyBytes?: number;
    readonly maxBodyBytesInFlight?: number;
    readonly bodyTimeoutMs?: number;
    readonly rateLimit?: RateLimitOptions | false;
    readonly cors?: CorsOptions;
    readonly trustProxy?: boolean;
    readonly sse?: SseOptions;
    readonly now?: () => number;
    readonly newId?: () => string;
}

export type Authenticate = (request: AuthenticateRequest, operation: Operation) => AuthenticateResult | Promise<AuthenticateResult>;

export interface AuthenticateRequest {
    readonly method: string;
    readonly path: string;
    readonly headers: {
        readonly [name: string]: string | undefined;
    };
    readonly query: {
        readonly [name: string]: string | undefined;
    };
    readonly body: unknown;
    readonly sessionId: string | undefined;
    readonly operation: Operation;
    readonly request: Request;
}

export type AuthenticateResult = 
boolean
 | {
    readonly ok: true;
    readonly principal?: Principal | string;
} | {
    readonly ok: false;
    readonly error?: string;
    readonly status?: number;
} | {
    readonly ok?: undefined;
    readonly error: string;
    readonly status?: number;
};

export type ChatHandler = (params: ChatParams) => Response | Promise<Response>;

export interface ChatParams {
    readonly sessionId: string;
    readonly messages: readonly unknown[];
    readonly body: unknown;
    readonly session?: SessionRow | null;
    readonly request: Request;
    readonly principal?: Principal;
    readonly userId?: string;
    readonly checkAnswer?: (answer: SubmitToolResult) => Promise<void>;
    readonly maxResultBytes?: number;
    readonly access?: 'own' | 'all';
    readonly serviceName?: string;
}

export interface CorsOptions {
    readonly origins: '*' | readonly string[] | ((origin: string) => boolean);
    readonly credentials?: boolean;
    readonly headers?: readonly string[];
    readonly maxAgeSeconds?: number;
}

export interface ErrorAnswer {
    readonly error: string;
    readonly code: string;
    readonly details?: readonly Issue[] | undefined;
}

export type ExpressHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void;

export type FeedEvent = ChunkEvent | {
    readonly type: 'truncated';
    readonly data: StreamTruncated;
} | {
    readonly type: 'end';
    readonly data: StreamEnd;
};

export interface FetchHandler {
    readonly fetch: (request: Request) => Promise<Response>;
    handle(request: Request, path: string): Promise<Response>;
    handles(path: string): boolean;
}

export interface Health {
    readonly status: 'ok' | 'draining';
    readonly service?: string | undefined;
}

export interface HttpAdapterOptions {
    readonly basePath?: string;
    readonly routesUnder?: string;
}

export type InterruptAnswer = InterruptResult;

export interface IssuedToken {
    readonly token: string;
    readonly expiresAt: number;
}

export type NodeListener = (request: NodeRequest, response: NodeResponse) => void;

export interface OpenApiDocument {
    readonly openapi: '3.1.0';
    readonly info: {
        readonly title: string;
        readonly version: string;
    };
    readonly paths: {
        readonly [path: string]: {
            readonly [method: string]: OpenApiOperation;
        };
    };
    readonly components: {
        readonly [part: string]: unknown;
    };
}

export interface OpenApiOperation {
    readonly operationId: string;
    readonly summary: string;
    readonly security: readonly JsonSchema[];
    readonly parameters: readonly JsonSchema[];
    readonly requestBody?: JsonSchema;
    readonly responses: {
        readonly [status: string]: JsonSchema;
    };
}

export interface OpenCallView {
    readonly sessionId: string;
    readonly toolCallId: string;
    readonly kind: OpenCallKind;
    readonly toolName: string;
    readonly input: JsonValue;
    readonly rawInput?: JsonValue | undefined;
    readonly approvalId: string | null;
    readonly agentType: string;
    readonly ownerSessionId: string;
    readonly userId: string | null;
    readonly openedAt: number;
    readonly deadlineAt: number | null;
}

export interface OpenCallsQuery {
    readonly sessionId?: string | undefined;
    readonly userId?: string | undefined;
    readonly agentType?: string | undefined;
    readonly kind?: OpenCallKind | undefined;
    readonly toolName?: string | undefined;
    readonly dueBefore?: number | undefined;
    readonly limit?: number | undefined;
    readonly cursor?: string | undefined;
}

export type Operation = 'start' | 'resume' | 'sse' | 'status' | 'interrupt' | 'abort' | 'submit-tool-result' | 'list-sessions' | 'get-session' | 'list-open-calls' | 'openapi' | 'chat' | 'chat-stream' | 'chat-snapshot';

export interface Principal {
    readonly id?: string;
    readonly sessionId?: string;
    readonly access?: 'own' | 'all';
    readonly answersFor?: boolean;
}

export interface RateLimitOptions {
    readonly submitsPerMinute?: number;
    readonly startsPerMinute?: number;
    readonly store?: RateLimitStore;
}

export interface RateLimitStore {
    hit(key: string, windowMs: number): Promise<{
        readonly count: number; 
        readonly resetAt: number;
    }>;
}

export interface ResumeRequest {
    readonly sessionId: string;
    readonly runId?: string | undefined;
    readonly message?: WireMessage | undefined;
    readonly onMessageWhileSuspended?: 'reject' | 'supersede' | undefined;
    readonly retry?: boolean | undefined;
}

export interface RunStarted {
    readonly sessionId: string;
    readonly streamId: string;
    readonly runId: string;
}

export interface SessionClaims {
    readonly sessionId: string;
    readonly id?: string;
    readonly expiresAt: number;
}

export interface SessionDetailQuery {
    readonly messagesOffset?: number | undefined;
    readonly messagesLimit?: number | undefined;
}

export interface SessionDetailView extends SessionStatusView {
    readonly state: JsonValue;
    readonly messages: {
        readonly messages: readonly Message[];
        readonly total: number;
        readonly hasMore: boolean;
    };
    readonly runs: readonly RunRow[];
}

export interface SessionFeed extends AsyncIterable<FeedEvent> {
    close(): void;
    catchUp(): Promise<void>;
}

export interface SessionStarted extends RunStarted {
    readonly created: boolean;
    readonly token?: string | undefined;
    readonly expiresAt?: number | undefined;
}

export interface SessionStatusView extends SessionView {
    readonly awaitingClientTool: boolean;
    readonly openCalls: readonly OpenCallView[];
    readonly streamSequence: number;
}

export interface SessionSummary {
    readonly sessionId: string;
    readonly rootSessionId: string;
    readonly agentType: string;
    readonly status: SessionStatus;
    readonly runStatus: RunStatus;
    readonly runId: string;
    readonly streamId: string;
    readonly turn: number;
    readonly stepCount: number;
    readonly messageCount: number;
    readonly userId: string | null;
    readonly tags: readonly string[];
    readonly metadata: JsonObject;
    readonly error: StoredError | null;
    readonly createdAt: number;
    readonly updatedAt: number;
}

export interface SessionTokens {
    issue(session: {
        readonly sessionId: string;
        readonly id?: string;
        readonly ttlMs?: number;
    }): Promise<IssuedToken>;
    verify(token: string): Promise<SessionClaims | null>;
    authenticator(otherwise?: Authenticate): Authenticate;
}

export interface SessionTokensOptions {
    readonly secret: string | readonly string[];
    readonly ttlMs?: number;
    readonly now?: () => number;
}

export interface SessionView extends SessionSummary {
    readonly output: JsonValue;
}

export interface SessionsQuery {
    readonly status?: RunStatus | 'active' | undefined;
    readonly agentType?: string | undefined;
    readonly userId?: string | undefined;
    readonly tag?: string | undefined;
    readonly limit?: number | undefined;
    readonly cursor?: string | undefined;
}

export interface SseOptions {
    readonly heartbeatMs?: number;
    readonly bufferBytes?: number;
    readonly stallMs?: number;
}

export interface StartRequest {
    readonly sessionId?: string | undefined;
    readonly agentType: string;
    readonly message: WireMessage;
    readonly state?: JsonObject | undefined;
    readonly metadata?: {
        readonly [key: string]: string;
    } | undefined;
    readonly tags?: readonly string[] | undefined;
    readonly notAfter?: number | undefined;
}

export interface StopRequest {
    readonly sessionId: string;
    readonly runId?: string | undefined;
    readonly reason?: string | undefined;
}

export interface StreamEnd {
    readonly sessionId: string;
    readonly status: SessionStatus | 'deleted';
    readonly runStatus?: RunStatus;
    readonly runId?: string;
    readonly output?: JsonValue;
    readonly error?: StoredError;
    readonly toolCallIds?: readonly string[];
    readonly sequence: number;
}

export interface StreamTruncated {
    readonly after: number;
    readonly firstAvailable: number;
}

export type SubmitAnswer = {
    readonly status: 'accepted';
} | {
    readonly status: 'already_completed';
} | {
    readonly status: 'expired';
} | {
    readonly status: 'unknown_tool_call';
    readonly reason: UnknownCallReason;
};

export type WireMessage = string | readonly WireUserMessage[];

export interface WirePage<T> {
    readonly items: readonly T[];
    readonly cursor: string | null;
}

export interface WireUserMessage {
    readonly role: 'user';
    readonly id?: string | undefined;
    readonly content: string;
    readonly files?: readonly {
        readonly data: string;
        readonly mediaType: string;
        readonly filename?: string | undefined;
    }[] | undefined;
    readonly metadata?: JsonObject | undefined;
}

export declare function createExpressAdapter(handler: FetchHandler): ExpressHandler;

export declare function createHttpAdapter(server: FetchHandler, options?: HttpAdapterOptions): FetchHandler;

export declare function createMemoryRateLimitStore(now?: () => number): RateLimitStore;

export declare function createNodeListener(handler: FetchHandler): NodeListener;

export declare function createSessionTokens(options: SessionTokensOptions): SessionTokens;
