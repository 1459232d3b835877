import { answerNode, sendResponse, type NodeRequest, type NodeResponse } from '@helix-agents/http';

/** What is needed of Express: its request and response, or those of `node:http`. */
export interface ExpressRequest extends NodeRequest {
  readonly originalUrl?: string;
  readonly protocol?: string;
  readonly params?: { readonly [name: string]: string };
}

export type ExpressResponse = NodeResponse;

/** Sends a web response, as slowly as the client reads. A client that leaves ends the reading. */
export async function pipeWebResponseToExpress(
  response: Response,
  target: ExpressResponse,
): Promise<void> {
  await sendResponse(response, target);
}

/**
 * Express middleware out of a function from web request to web response.
 *
 * @example
 * app.post('/api/chat', createWebResponseExpressMiddleware((request) => handleChatStream(deps, { request })));
 */
export function createWebResponseExpressMiddleware(
  handle: (request: Request, given: ExpressRequest) => Promise<Response>,
): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    const { originalUrl: url = request.url, protocol } = request;
    answerNode(request, response, (made) => handle(made, request), { url, protocol }).catch(next);
  };
}
