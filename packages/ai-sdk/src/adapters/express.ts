/** What is needed of Express: its request and response, or those of `node:http`. */
export interface ExpressRequest {
  readonly method: string;
  readonly originalUrl?: string;
  readonly url?: string;
  readonly protocol?: string;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Where a body parser was there first. */
  readonly body?: unknown;
  readonly params?: { readonly [name: string]: string };
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

/** Sends a web response, as slowly as the client reads. A client that leaves ends the reading. */
export async function pipeWebResponseToExpress(
  response: Response,
  target: ExpressResponse,
): Promise<void> {
  target.statusCode = response.status;
  response.headers.forEach((value, name) => {
    if (name !== 'set-cookie') target.setHeader(name, value);
  });
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) target.setHeader('set-cookie', cookies);
  target.flushHeaders?.();
  if (response.body) await pump(response.body, target);
  target.end();
}

async function pump(body: ReadableStream<Uint8Array>, target: ExpressResponse): Promise<void> {
  const reader = body.getReader();
  let left = (): void => {};
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  target.once('close', () => {
    left();
    void reader.cancel().catch(() => undefined);
  });
  for (;;) {
    const { done, value } = await reader.read();
    if (done || target.destroyed) return;
    if (target.write(value)) continue;
    await Promise.race([new Promise<void>((resolve) => void target.once('drain', resolve)), gone]);
  }
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
    toWebRequest(request)
      .then((made) => handle(made, request))
      .then((answer) => pipeWebResponseToExpress(answer, response))
      .catch(next);
  };
}

async function toWebRequest(request: ExpressRequest): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') headers.set(name, value);
    else for (const one of value ?? []) headers.append(name, one);
  }
  const host = headers.get('host') ?? 'localhost';
  const url = `${request.protocol ?? 'http'}://${host}${request.originalUrl ?? request.url ?? '/'}`;
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers });
  return new Request(url, { method, headers, body: await bodyOf(request) });
}

async function bodyOf(request: ExpressRequest): Promise<BodyInit> {
  if (request.body !== undefined) {
    return typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
  }
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const source = request as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>;
  for await (const piece of source) pieces.push(piece);
  return new Blob(pieces);
}
