import {
  answerNode,
  DEFAULT_BODY_LIMITS,
  HttpRefusal,
  json,
  sendResponse,
  type NodeRequest,
  type NodeResponse,
} from '@helix-agents/http';

/** The parts of Express's request and response that are used; those of `node:http` fit too. */
export interface ExpressRequest extends NodeRequest {
  readonly originalUrl?: string;
  readonly params?: { readonly [name: string]: string };
}

export type ExpressResponse = NodeResponse;

export interface ExpressMiddlewareOptions {
  /** Largest body, however the handler reads it; 4 MB by default. */
  readonly maxBodyBytes?: number;
}

/** Sends a web response, as slowly as the client reads. A client that leaves ends the reading. */
export async function pipeWebResponseToExpress(
  response: Response,
  target: ExpressResponse,
): Promise<void> {
  await sendResponse(response, target);
}

/**
 * Express middleware out of a function from web request to web response. A body beyond the limit is answered with 413, also
 * where the handler reads it with `request.json()`.
 *
 * @example
 * app.post('/api/chat', createWebResponseExpressMiddleware((request) => handleChatStream(deps, { request })));
 */
export function createWebResponseExpressMiddleware(
  handle: (request: Request, given: ExpressRequest) => Promise<Response>,
  { maxBodyBytes = DEFAULT_BODY_LIMITS.maxBytes }: ExpressMiddlewareOptions = {},
): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    const { originalUrl: url = request.url, protocol } = request;
    const answer = (made: Request): Promise<Response> =>
      handle(made, request).catch((error: unknown) => {
        if (error instanceof HttpRefusal) return json(error.status, error.body, error.headers);
        throw error;
      });
    answerNode(request, response, answer, { url, protocol, maxBodyBytes }).catch(next);
  };
}
