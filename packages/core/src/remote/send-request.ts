import { errorMessage, HelixError } from '../errors/helix-error.ts';
import {
  RemoteRefusedError,
  RemoteReplyError,
  RemoteSubAgentClientToolUnsupportedError,
  RemoteUnreachableError,
} from '../errors/remote-errors.ts';
import { discard, readReply } from './read-reply.ts';
import type { RemoteLimits } from './remote-limits.ts';
import { ErrorReply } from './remote-schemas.ts';

const PROTOCOL_HEADER = 'x-helix-protocol';
const PROTOCOL_VERSION = '1';
const MAX_REDIRECTS = 3;

/** Where a server is and how it is spoken to. */
export interface RemoteAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly limits: RemoteLimits;
  /** Asked anew for each request. */
  readonly headers: () => Promise<{ readonly [name: string]: string }>;
}

export interface RemoteRequest {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  /** As JSON. */
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * A reply of a server that speaks the protocol, of any status that is neither a failure of the server nor of what is in
 * between: those are thrown as unreachable.
 */
export async function sendRequest(
  remote: RemoteAddress,
  request: RemoteRequest,
): Promise<Response> {
  const response = await reach(remote, request);
  const { status, headers } = response;
  const speaks = headers.get(PROTOCOL_HEADER) === PROTOCOL_VERSION;
  const isFailure = status >= 500 && !(speaks && status === 501);
  if (isFailure || status === 408 || status === 429) {
    discard(response);
    const retryAfterMs = retryAfterOf(headers);
    throw new RemoteUnreachableError(`${remote.url} answered ${status}.`, { retryAfterMs });
  }
  if (speaks) return response;
  discard(response);
  throw new RemoteSubAgentClientToolUnsupportedError(remote.url);
}

/** What a refusal says, in short: its text is of another server. */
export async function toRefusal(
  response: Response,
  { url, limits }: RemoteAddress,
): Promise<RemoteRefusedError> {
  const body = await readReply(response, limits.replyBytes);
  const { data } = ErrorReply.safeParse(body);
  const said = data ? data.error.slice(0, 500) : 'it did not say why';
  const code = data ? data.code.slice(0, 100) : 'UNKNOWN';
  return new RemoteRefusedError(
    response.status,
    code,
    `${url} refused with ${response.status}: ${said}`,
  );
}

/** Follows redirects within its origin: the token is for nobody else. */
async function reach(remote: RemoteAddress, request: RemoteRequest): Promise<Response> {
  const origin = new URL(remote.url).origin;
  let target = `${remote.url}${request.path}`;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const response = await fetchOnce(remote, target, request);
    if (response.type !== 'opaqueredirect' && !isRedirect(response.status)) return response;
    discard(response);
    const location = response.headers.get('location') ?? '';
    const keepsMethod =
      request.method === 'GET' || response.status === 307 || response.status === 308;
    const next = URL.canParse(location, target) ? new URL(location, target) : null;
    if (next?.origin !== origin || !keepsMethod) {
      throw new RemoteReplyError(
        `${remote.url} redirects elsewhere, which is not followed; hand in the address it moved to.`,
      );
    }
    target = next.href;
  }
  throw new RemoteReplyError(`${remote.url} redirects in a circle.`);
}

async function fetchOnce(
  { url, fetch: send, headers }: RemoteAddress,
  target: string,
  { method, body, signal }: RemoteRequest,
): Promise<Response> {
  try {
    const own = await unlessAborted(signal, headers());
    return await send(target, {
      method,
      redirect: 'manual',
      signal,
      headers: {
        ...own,
        [PROTOCOL_HEADER]: PROTOCOL_VERSION,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
  } catch (cause) {
    if (HelixError.isInstance(cause)) throw cause;
    throw new RemoteUnreachableError(`${url} cannot be reached: ${errorMessage(cause)}`, { cause });
  }
}

function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Of seconds; a date is not read. */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after');
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : null;
}
