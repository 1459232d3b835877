import { answerNode, type NodeRequest, type NodeResponse } from '@helix-agents/http';
import type { FetchHandler } from './http-adapter.ts';

export type NodeListener = (request: NodeRequest, response: NodeResponse) => void;
export type ExpressHandler = (
  request: NodeRequest,
  response: NodeResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * A listener for `node:http`. Close the server before the process ends: `server.close()`, then the HTTP server's.
 *
 * @example
 * createServer(createNodeListener(server)).listen(3000);
 */
export function createNodeListener(handler: FetchHandler): NodeListener {
  return (request, response) => serve(handler, request, response);
}

/**
 * Express middleware, mounted anywhere. What the server has no route for goes on to the next middleware.
 *
 * @example
 * app.use('/api', createExpressAdapter(createHttpAdapter(server)));
 */
export function createExpressAdapter(handler: FetchHandler): ExpressHandler {
  return (request, response, next) => {
    const [path = ''] = (request.url ?? '').split('?');
    if (next && !handler.handles(path)) next();
    else serve(handler, request, response);
  };
}

function serve(handler: FetchHandler, request: NodeRequest, response: NodeResponse): void {
  const { protocol } = request;
  answerNode(request, response, handler.fetch, { protocol }).catch(() => response.destroy());
}
