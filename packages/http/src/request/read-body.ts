import { DEFAULT_SUBMIT_MAX_RESULT_BYTES } from '@helix-agents/core';
import { HttpRefusal, invalidRequest, payloadTooLarge } from '../response/refusal.ts';

const MAX_DEPTH = 200;

/** JSON escapes make a result longer than it is. */
export const BODY_FACTOR = 4;

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Unless the application sets others. */
export const DEFAULT_BODY_LIMITS: BodyLimits = {
  maxBytes: BODY_FACTOR * DEFAULT_SUBMIT_MAX_RESULT_BYTES,
  timeoutMs: 30_000,
};

/** A body is read before authentication and refused after it: that it is no JSON is a value until then. */
export type ReadBody =
  | { readonly ok: true; readonly value: unknown; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly fault: string };

/** Refuses by the headers alone. Returns the declared length, null when there is none. */
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
  if (length > maxBytes) throw payloadTooLarge(maxBytes);
  return length;
}

/** Bodies must declare JSON: what a form of another site can send is refused before it is read. */
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
  const bytes = body === null ? new Uint8Array(0) : await readBytes(body, declared, limits);
  if (declared !== null && bytes.length !== declared) {
    throw invalidRequest('content-length', `says ${declared} bytes, ${bytes.length} came`);
  }
  if (bytes.length === 0) return { ok: true, value: {}, bytes };
  try {
    // A byte order mark is dropped; bytes that are not UTF-8 are refused.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (!isDeeperThan(value, MAX_DEPTH)) return { ok: true, value, bytes };
    return { ok: false, fault: `the body is nested more than ${MAX_DEPTH} levels deep` };
  } catch {
    return { ok: false, fault: 'the body is not JSON' };
  }
}

/** Values are walked recursively later on: deeper ones would exhaust the stack. */
function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}

async function readBytes(
  body: ReadableStream<Uint8Array>,
  declared: number | null,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
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
      if (length > maxBytes) throw payloadTooLarge(maxBytes);
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

function join(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
