import { HttpRefusal } from '@helix-agents/http';

/** What one server speaks with another that runs agents for it. */
export const PROTOCOL_HEADER = 'x-helix-protocol';
const PROTOCOL_VERSION = '1';

/** Whether the request is one of a server that lets agents run here. A version that is not spoken here is refused. */
export function speaksProtocol(headers: Headers): boolean {
  const version = headers.get(PROTOCOL_HEADER);
  if (version === null) return false;
  if (version === PROTOCOL_VERSION) return true;
  throw new HttpRefusal(
    426,
    {
      error: `This server speaks version ${PROTOCOL_VERSION} of ${PROTOCOL_HEADER}, not ${version.slice(0, 20)}; update the server of the remote agent first.`,
      code: 'PROTOCOL_UNSUPPORTED',
    },
    { upgrade: `helix-protocol/${PROTOCOL_VERSION}` },
  );
}

/** Every reply to such a request says so, and by which clock its times are meant. */
export function markReply(request: Request, response: Response, now: number): Response {
  if (!request.headers.has(PROTOCOL_HEADER)) return response;
  response.headers.set(PROTOCOL_HEADER, PROTOCOL_VERSION);
  if (!response.headers.has('date')) response.headers.set('date', new Date(now).toUTCString());
  return response;
}
