// What `@helix-agents/ai-sdk/adapters/express` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface ExpressMiddlewareOptions {
    readonly maxBodyBytes?: number;
}

export interface ExpressRequest extends NodeRequest {
    readonly originalUrl?: string;
    readonly params?: {
        readonly [name: string]: string;
    };
}

export type ExpressResponse = NodeResponse;

export declare function createWebResponseExpressMiddleware(handle: (request: Request, given: ExpressRequest) => Promise<Response>, { maxBodyBytes }?: ExpressMiddlewareOptions): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => void;

export declare function pipeWebResponseToExpress(response: Response, target: ExpressResponse): Promise<void>;
