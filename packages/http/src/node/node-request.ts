import type { NodeRequest } from './node-types.ts';

export interface WebAddress {
  /** Path and query; the request's own by default. */
  readonly url?: string | undefined;
  /** `http` by default. */
  readonly protocol?: string | undefined;
}

/** A request of Node as a web request. Null: its address, method or headers are none of the web's. */
export function toWebRequest(
  request: NodeRequest,
  signal: AbortSignal,
  { url = request.url ?? '', protocol = 'http' }: WebAddress = {},
): Request | null {
  const { method = 'GET', headers } = request;
  const host = typeof headers['host'] === 'string' ? headers['host'] : 'localhost';
  const address = `${protocol}://${host}${url}`;
  if (!url.startsWith('/') || !URL.canParse(address)) return null;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  try {
    return new Request(address, {
      method,
      headers: toHeaders(headers),
      signal,
      ...(hasBody && { body: bodyOf(request), duplex: 'half' }),
    } as RequestInit);
  } catch {
    return null;
  }
}

function toHeaders(headers: NodeRequest['headers']): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':')) continue;
    for (const one of [value].flat()) result.append(name, one);
  }
  return result;
}

/** Bytes as they are asked for. What a body parser read before is written down again. */
function bodyOf(request: NodeRequest): ReadableStream<Uint8Array> | string | null {
  if (request.body !== undefined) {
    return typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
  }
  const { headers, httpVersionMajor = 1 } = request;
  const length = headers['content-length'];
  if (length === '0') return null;
  // Before HTTP/2 a body has a length or an encoding.
  const isAnnounced = length !== undefined || headers['transfer-encoding'] !== undefined;
  if (!isAnnounced && httpVersionMajor < 2) return null;
  let isReading = false;
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (isReading) {
          request.resume();
          return;
        }
        isReading = true;
        const over = (end: () => void): void => {
          if (!isOver) end();
          isOver = true;
        };
        request.on('data', (bytes) => {
          if (isOver) return;
          controller.enqueue(new Uint8Array(bytes));
          request.pause();
        });
        request.on('end', () => over(() => controller.close()));
        request.on('error', (error) => over(() => controller.error(error)));
        request.on('close', () => over(() => controller.error(new Error('connection closed'))));
      },
      cancel() {
        isOver = true;
      },
    },
    { highWaterMark: 0 },
  );
}
