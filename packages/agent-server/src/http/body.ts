import { HttpRefusal, invalidRequest } from './respond.ts';

const MAX_DEPTH = 200;

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** What was sent: bytes are read and counted; whether they are JSON is said later, after authentication. */
export type ReadBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: string };

/** Gates that need nothing but the headers. Says the declared length, null when there is none. */
export function checkBodyHeaders(headers: Headers, maxBytes: number): number | null {
  const declared = headers.get('content-length');
  if (declared === null) {
    if (headers.get('transfer-encoding')) {
      throw new HttpRefusal(411, { error: 'length_required', code: 'LENGTH_REQUIRED' });
    }
    return null;
  }
  if (!/^\d{1,15}$/.test(declared)) {
    throw invalidRequest('content-length', 'must be one number of bytes');
  }
  const length = Number(declared);
  if (length > maxBytes) throw tooLarge(maxBytes);
  return length;
}

/** Bodies are JSON and say so: what a form of another site can send is refused before it is read. */
export function checkContentType(headers: Headers): void {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (/^application\/([\w.-]+\+)?json$/i.test(type.trim())) return;
  throw new HttpRefusal(415, {
    error: 'Send JSON, with content-type application/json.',
    code: 'UNSUPPORTED_MEDIA_TYPE',
  });
}

/** Reads at most what is allowed and declared, within the time. An empty body is an empty object. */
export async function readJsonBody(
  body: ReadableStream<Uint8Array> | null,
  declared: number | null,
  limits: BodyLimits,
): Promise<ReadBody> {
  const bytes = body === null ? new Uint8Array() : await readBytes(body, declared, limits);
  if (declared !== null && bytes.length !== declared) {
    throw invalidRequest('content-length', `says ${declared} bytes, ${bytes.length} came`);
  }
  if (bytes.length === 0) return { ok: true, value: {} };
  try {
    // A byte order mark is dropped; bytes that are not UTF-8 are refused.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (!isDeeperThan(value, MAX_DEPTH)) return { ok: true, value };
    return { ok: false, fault: `the body is nested more than ${MAX_DEPTH} levels deep` };
  } catch {
    return { ok: false, fault: 'the body is not JSON' };
  }
}

/** What is handed on is walked by recursion: deeper values would exhaust the stack. */
function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}

async function readBytes(
  body: ReadableStream<Uint8Array>,
  declared: number | null,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<Uint8Array> {
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new HttpRefusal(408, {
            error: `The body did not arrive within ${timeoutMs} ms; send it again.`,
            code: 'REQUEST_TIMEOUT',
          }),
        ),
      timeoutMs,
    );
  });
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return join(parts, length);
      length += value.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      if (declared !== null && length > declared) {
        throw invalidRequest('content-length', `says ${declared} bytes, more came`);
      }
      parts.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    if (error instanceof HttpRefusal) throw error;
    throw invalidRequest('', 'the body broke off before its end');
  } finally {
    clearTimeout(timer);
  }
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function tooLarge(maxBytes: number): HttpRefusal {
  return new HttpRefusal(413, { error: 'payload_too_large', code: 'PAYLOAD_TOO_LARGE', maxBytes });
}
