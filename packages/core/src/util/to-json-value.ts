import { errorMessage } from '../errors/helix-error.ts';
import type { JsonValue } from '../json.ts';

export type JsonConversion =
  | { readonly ok: true; readonly value: JsonValue; readonly bytes: number }
  | { readonly ok: false; readonly reason: string };

/**
 * A value as plain data, with its size as UTF-8 JSON. `undefined` becomes null. The value handed
 * back shares nothing with the one handed in. Never throws.
 */
export function toJsonValue(value: unknown): JsonConversion {
  if (value === undefined) return { ok: true, value: null, bytes: 4 };
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) return { ok: false, reason: `a ${typeof value} has no JSON form` };
    return { ok: true, value: JSON.parse(text), bytes: utf8Length(text) };
  } catch (error) {
    return { ok: false, reason: errorMessage(error) };
  }
}

export function utf8Length(text: string): number {
  if (!BEYOND_ASCII.test(text)) return text.length;
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    const next = unit >= 0xd800 && unit < 0xdc00 ? text.charCodeAt(index + 1) : 0;
    if (next >= 0xdc00 && next < 0xe000) {
      bytes += 2;
      index += 1;
    } else {
      bytes += unit < 0x800 ? 1 : 2;
    }
  }
  return bytes;
}

/** Control characters, which JSON never has, are also counted one by one. */
const BEYOND_ASCII = /[^ -~]/;
