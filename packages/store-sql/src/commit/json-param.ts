const ESCAPED = '\\ud';
/** Matches escapes in order, so that an escaped backslash does not begin another. */
const ESCAPES = /\\(?:u(d[89a-f][0-9a-f]{2})|[^])/g;

/**
 * JSON from which SQL extracts texts, to compare or store them. A lone surrogate is not escaped in it, so that the driver encodes it as it
 * would in a parameter of its own.
 */
export function jsonParam(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes(ESCAPED)) return json;
  return json.replace(ESCAPES, (escape, digits?: string) =>
    digits === undefined ? escape : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
