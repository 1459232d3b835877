import { DEFAULT_SUBMIT_MAX_RESULT_BYTES } from '@helix-agents/core';
import { HttpRefusal, invalidRequest, payloadTooLarge } from '../response/refusal.ts';
import { createBodyBudget, type BodyHold } from './body-budget.ts';
import { JSON_LIMITS, scanJson } from './scan-json.ts';

/** Roughly the memory of one parsed value: that of an empty object, which takes the most for its text. */
const BYTES_PER_PART = 64;

/** A result may be this much longer as JSON text, because of escapes. */
export const BODY_FACTOR = 4;

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export const DEFAULT_BODY_LIMITS: BodyLimits = {
  maxBytes: BODY_FACTOR * DEFAULT_SUBMIT_MAX_RESULT_BYTES,
  timeoutMs: 30_000,
};

/** A body is read before authentication and refused after it, so invalid JSON is returned as a value and not thrown. */
export type ReadBody =
  | { readonly ok: true; readonly value: unknown; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly fault: string };

/** Refuses a body by its headers, before it is read. Returns the declared length; null if there is none. */
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

/** Bodies must declare JSON: forms, which a page of another site can send, are refused before they are read. */
export function checkContentType(headers: Headers): void {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (/^application\/([\w.-]+\+)?json$/i.test(type.trim())) return;
  throw new HttpRefusal(415, {
    error: 'Send JSON, with content-type application/json.',
    code: 'UNSUPPORTED_MEDIA_TYPE',
  });
}

/** The default for callers without a budget of their own. */
const ofThisProcess = createBodyBudget();

/**
 * Reads at most the allowed and the declared length, within the time. An empty body is an empty object. The bytes count
 * against the budget until `hold` is released; without a `hold`, until this returns.
 */
export async function readJsonBody(
  body: ReadableStream<Uint8Array> | null,
  declared: number | null,
  limits: BodyLimits,
  hold?: BodyHold,
): Promise<ReadBody> {
  if (hold) return readHeld(body, declared, limits, hold);
  const own = ofThisProcess.open();
  try {
    return await readHeld(body, declared, limits, own);
  } finally {
    own.release();
  }
}

async function readHeld(
  body: ReadableStream<Uint8Array> | null,
  declared: number | null,
  limits: BodyLimits,
  hold: BodyHold,
): Promise<ReadBody> {
  const bytes = body === null ? new Uint8Array(0) : await readBytes(body, declared, limits, hold);
  if (declared !== null && bytes.length !== declared) {
    throw invalidRequest('content-length', `says ${declared} bytes, ${bytes.length} came`);
  }
  if (bytes.length === 0) return { ok: true, value: {}, bytes };
  const { parts, fault } = scanJson(bytes, JSON_LIMITS);
  if (fault !== null) return { ok: false, fault };
  hold.take(parts * BYTES_PER_PART);
  try {
    // A byte order mark is dropped; bytes that are not UTF-8 are refused.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { ok: true, value: JSON.parse(text) as unknown, bytes };
  } catch {
    return { ok: false, fault: 'the body is not JSON' };
  }
}

async function readBytes(
  body: ReadableStream<Uint8Array>,
  declared: number | null,
  { maxBytes, timeoutMs }: BodyLimits,
  hold: BodyHold,
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
      hold.take(value.length);
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
