/** How much of a body is read into values. */
export interface JsonLimits {
  readonly maxDepth: number;
  /** Items, keys and values together, counted by opening brackets, commas and colons. */
  readonly maxParts: number;
}

/** Limits of a JSON body. A parsed value takes many times the memory of its text. */
export const JSON_LIMITS: JsonLimits = { maxDepth: 200, maxParts: 250_000 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

export interface ScannedJson {
  readonly parts: number;
  /** Why it must not be parsed; null: it may be. */
  readonly fault: string | null;
}

/**
 * Whether a text is nested too deeply or holds too many values, before it is parsed. Looks at brackets, commas and colons
 * outside of strings; whether it is valid JSON is left to the parser.
 */
export function scanJson(bytes: Uint8Array, { maxDepth, maxParts }: JsonLimits): ScannedJson {
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (byte === COMMA || byte === COLON) {
      parts += 1;
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      parts += 1;
      if (depth > maxDepth)
        return { parts, fault: `the body is nested more than ${maxDepth} levels deep` };
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1;
    }
    if (parts > maxParts) return { parts, fault: `the body holds more than ${maxParts} values` };
  }
  return { parts, fault: null };
}

/** Where the string that begins here ends; the end of the text where it does not. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = bytes.indexOf(QUOTE, at);
    if (at === -1) return bytes.length;
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
}
