/**
 * Postgres refuses NUL and lone surrogates in texts, and JSON that escapes them. Tool output has both. They are stored as a mark and a
 * name: `0` for NUL, four hex digits for a surrogate, `1` for the mark itself; in JSON the mark replaces the backslash of the escape. So
 * every stored text is valid, and all stored JSON can be cast to `jsonb`.
 */
const MARK = '\ue000';

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ESCAPED = /\\u(?:0000|d[89a-f])/;
/** Matches escapes in order, so that an escaped backslash does not begin another. */
const ESCAPES = /\\(?:(u0000|ud[89a-f][0-9a-f]{2})|[^])/g;
const MARKED = /\ue000(0|1|u?d[89a-f][0-9a-f]{2}|u0000)/g;

export function encodeText(text: string): string {
  let encoded = text;
  if (encoded.includes(MARK)) encoded = encoded.replaceAll(MARK, `${MARK}1`);
  if (encoded.includes('\0')) encoded = encoded.replaceAll('\0', `${MARK}0`);
  if (!encoded.isWellFormed()) {
    encoded = encoded.replace(LONE_SURROGATE, (half) => MARK + half.charCodeAt(0).toString(16));
  }
  if (ESCAPED.test(encoded)) {
    encoded = encoded.replace(ESCAPES, (escape, name?: string) => (name ? MARK + name : escape));
  }
  return encoded;
}

export function decodeText(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replace(MARKED, (_, name: string) => {
    if (name === '0') return '\0';
    if (name === '1') return MARK;
    return name.startsWith('u') ? `\\${name}` : String.fromCharCode(Number.parseInt(name, 16));
  });
}
