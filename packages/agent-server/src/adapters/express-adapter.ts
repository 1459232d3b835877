import { json } from '../http/respond.ts';
import type { FetchHandler } from './http-adapter.ts';
import { toWebRequest } from './node-request.ts';
import { sendResponse } from './node-response.ts';
import type { NodeRequest, NodeResponse } from './node-types.ts';

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
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const asked = toWebRequest(request, gone.signal);
  const answer = asked ? handler.fetch(asked) : Promise.resolve(refused(request.method));
  answer.then((answered) => sendResponse(answered, response)).catch(() => response.destroy());
}

/** Methods the web platform does not hand on, and addresses it cannot read. */
function refused(method: string | undefined): Response {
  if (method === 'TRACE' || method === 'CONNECT' || method === 'TRACK') {
    const body = { error: `No route takes ${method}.`, code: 'METHOD_NOT_ALLOWED' };
    return json(405, body, { allow: 'GET, HEAD, POST, OPTIONS' });
  }
  return json(400, { error: 'The request cannot be read.', code: 'INVALID_REQUEST' });
}
