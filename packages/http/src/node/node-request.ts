import { payloadTooLarge, type HttpRefusal } from '../response/refusal.ts';
import type { NodeRequest } from './node-types.ts';

export interface WebAddress {
  /** Path and query; the request's own by default. */
  readonly url?: string | undefined;
  /** `https` where the connection is encrypted, else `http`, by default. */
  readonly protocol?: string | undefined;
  /** A body that is longer breaks with a 413 while it is read; no limit by default. */
  readonly maxBodyBytes?: number | undefined;
}

/**
 * Turns a Node request into a web `Request`. Null if its address, method or headers are invalid there. The path is never rewritten: a proxy or
 * middleware in front may have authorized the request by it.
 */
export function toWebRequest(
  request: NodeRequest,
  signal: AbortSignal,
  { url = request.url ?? '', protocol = protocolOf(request), maxBodyBytes }: WebAddress = {},
): Request | null {
  const { method = 'GET', headers } = request;
  const address = addressOf(protocol, headers['host'], url);
  if (address === null) return null;
  const body = method === 'GET' || method === 'HEAD' ? null : bodyOf(request, maxBodyBytes);
  try {
    return new Request(address, {
      method,
      headers: toHeaders(headers, request.body === undefined ? null : body),
      signal,
      ...(body !== null && { body, duplex: 'half' }),
    } as RequestInit);
  } catch {
    return null;
  }
}

function protocolOf({ socket }: NodeRequest): string {
  return socket && 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http';
}

/** A name or an address, and a port. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** Null if a web `URL` would have another path than the one that was sent: dot segments, a host with a path, a fragment. */
function addressOf(protocol: string, host: unknown, url: string): string | null {
  const name = host === undefined ? 'localhost' : host;
  if (typeof name !== 'string' || !HOST.test(name) || !url.startsWith('/')) return null;
  const address = `${protocol}://${name}${url}`;
  if (!URL.canParse(address) || url.includes('#')) return null;
  const [path] = url.split('?', 1);
  return new URL(address).pathname === path ? address : null;
}

/** A body that a parser has read is serialized again, so it has another length and no encoding. */
function toHeaders(
  headers: NodeRequest['headers'],
  rewritten: Uint8Array | ReadableStream | null,
): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':')) continue;
    for (const one of [value].flat()) result.append(name, one);
  }
  if (rewritten instanceof Uint8Array) {
    result.delete('content-encoding');
    result.delete('transfer-encoding');
    result.set('content-length', String(rewritten.byteLength));
  }
  return result;
}

/** Null if no body was sent, for which body parsers set an empty object. */
function bodyOf(
  request: NodeRequest,
  maxBytes: number = Infinity,
): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null {
  const { headers, body, httpVersionMajor = 1 } = request;
  const length = headers['content-length'];
  if (length === '0') return null;
  if (Number(length) > maxBytes) return brokenBody(payloadTooLarge(maxBytes));
  // Before HTTP/2 a body has a length or an encoding.
  const isAnnounced = length !== undefined || headers['transfer-encoding'] !== undefined;
  if (!isAnnounced && httpVersionMajor < 2) return null;
  if (body === undefined) return readBytes(request, maxBytes);
  const bytes = parsedBody(body);
  return bytes.byteLength > maxBytes ? brokenBody(payloadTooLarge(maxBytes)) : bytes;
}

function parsedBody(body: unknown): Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
}

function brokenBody(error: HttpRefusal): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.error(error) });
}

/** Reads only as fast as the consumer does. */
function readBytes(request: NodeRequest, maxBytes: number): ReadableStream<Uint8Array> {
  let isReading = false;
  let isOver = false;
  let length = 0;
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
          length += bytes.length;
          if (length > maxBytes) {
            over(() => controller.error(payloadTooLarge(maxBytes)));
            return;
          }
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
