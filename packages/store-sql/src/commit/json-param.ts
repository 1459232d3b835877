const ESCAPED = '\\ud';
/** Escapes pair by pair: a backslash that is itself escaped begins none. */
const ESCAPES = /\\(?:u(d[89a-f][0-9a-f]{2})|[^])/g;

/**
 * JSON that SQL takes texts out of, to compare or to store them. A lone surrogate is in it as it is, not escaped: what the driver
 * makes of one is then the same here and in a parameter of its own.
 */
export function jsonParam(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes(ESCAPED)) return json;
  return json.replace(ESCAPES, (escape, digits?: string) =>
    digits === undefined ? escape : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
