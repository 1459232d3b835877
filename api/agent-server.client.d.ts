// What `@helix-agents/agent-server/client` exports. Written by `npm run api`; a report to read and compare, not a module.

export {
  ChunkEvent,
} from '@helix-agents/http';

export declare class AgentClient {
    constructor(options: AgentClientOptions);
    start(request: StartRequest): Promise<SessionStarted>;
    resume(request: ResumeRequest): Promise<RunStarted>;
    interrupt(request: StopRequest): Promise<InterruptAnswer>;
    abort(request: StopRequest): Promise<AbortAnswer>;
    submit(submission: SubmitToolResultInput): Promise<SubmitAnswer>;
    status(sessionId: string): Promise<SessionStatusView>;
    sessions(query?: SessionsQuery): Promise<WirePage<SessionSummary>>;
    session(sessionId: string, query?: SessionDetailQuery): Promise<SessionDetailView>;
    openCalls(query?: OpenCallsQuery): Promise<WirePage<OpenCallView>>;
    health(): Promise<Health>;
    stream(sessionId: string, options?: StreamOptions): AsyncGenerator<FeedEvent, undefined>;
}

export interface AgentClientOptions {
    readonly baseUrl: string;
    readonly token?: string | (() => string | Promise<string>);
    readonly headers?: {
        readonly [name: string]: string;
    };
    readonly fetch?: typeof fetch;
}

export declare class AgentServerError extends HelixError {
    readonly name: string;
    readonly body: ErrorAnswer;
    constructor(statusCode: number, body: ErrorAnswer);
}

export type FeedEvent = ChunkEvent | {
    readonly type: 'truncated';
    readonly data: StreamTruncated;
} | {
    readonly type: 'end';
    readonly data: StreamEnd;
};

export interface StreamOptions {
    readonly after?: number;
    readonly signal?: AbortSignal;
    readonly reconnects?: number;
}
