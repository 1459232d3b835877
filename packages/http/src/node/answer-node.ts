import { json } from '../response/json.ts';
import { toWebRequest, type WebAddress } from './node-request.ts';
import { sendResponse } from './node-response.ts';
import type { NodeRequest, NodeResponse } from './node-types.ts';

/**
 * Answers a request of Node or Express with a function from web request to web response. Rejects where that function
 * does, or the connection breaks. The request's `signal` aborts when the client leaves.
 */
export async function answerNode(
  request: NodeRequest,
  response: NodeResponse,
  handle: (request: Request) => Promise<Response>,
  address: WebAddress = {},
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const asked = toWebRequest(request, gone.signal, address);
  const answer = asked ? await handle(asked) : unreadable(request.method);
  await sendResponse(answer, response);
}

/** For methods and addresses that a web `Request` cannot have. */
function unreadable(method: string | undefined): Response {
  if (method === 'TRACE' || method === 'CONNECT' || method === 'TRACK') {
    const body = { error: `No route takes ${method}.`, code: 'METHOD_NOT_ALLOWED' };
    return json(405, body, { allow: 'GET, HEAD, POST, OPTIONS' });
  }
  return json(400, { error: 'The request cannot be read.', code: 'INVALID_REQUEST' });
}
