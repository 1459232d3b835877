// What `@helix-agents/ai-sdk/adapters/express` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface ExpressRequest {
    readonly method: string;
    readonly originalUrl?: string;
    readonly url?: string;
    readonly protocol?: string;
    readonly headers: {
        readonly [name: string]: string | readonly string[] | undefined;
    };
    readonly body?: unknown;
    readonly params?: {
        readonly [name: string]: string;
    };
    [Symbol.asyncIterator]?(): AsyncIterator<Uint8Array>;
}

export interface ExpressResponse {
    statusCode: number;
    setHeader(name: string, value: string | readonly string[]): unknown;
    flushHeaders?(): void;
    write(chunk: Uint8Array): boolean;
    end(): unknown;
    once(event: 'drain' | 'close', listener: () => void): unknown;
    readonly destroyed?: boolean;
}

export declare function createWebResponseExpressMiddleware(handle: (request: Request, given: ExpressRequest) => Promise<Response>): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => void;

export declare function pipeWebResponseToExpress(response: Response, target: ExpressResponse): Promise<void>;
