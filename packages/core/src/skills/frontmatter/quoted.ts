const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\u0007'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\u001b'],
  [' ', ' '],
  ['"', '"'],
  ['/', '/'],
  ['\\', '\\'],
  ['N', '\u0085'],
  ['_', '\u00a0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);
const CODE_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** Index right after the quote that closes the one at `start`; -1 if none does. */
export function endOfQuoted(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) {
      if (quote === '"' || text[at + 1] !== quote) return at + 1;
      at += 1;
    }
  }
  return -1;
}

/** The value of a quoted text, its quotes included, that may go over several lines. */
export function readQuoted(text: string): string {
  const inside = text.slice(1, -1);
  if (text.startsWith("'")) return foldLines(inside).replaceAll("''", "'");
  // An escaped line break joins its lines without a space.
  return resolveEscapes(foldLines(inside.replaceAll(/(?<!\\)((?:\\\\)*)\\\n[ \t]*/g, '$1')));
}

/** Line breaks as spaces, empty lines as line breaks. */
export function foldLines(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  const parts: string[] = [];
  let joins = false;
  for (const [index, line] of lines.entries()) {
    const from = index === 0 ? line : line.trimStart();
    const own = index === lines.length - 1 ? from : from.trimEnd();
    if (index > 0 && own === '') parts.push('\n');
    else parts.push(joins ? ' ' : '', own);
    joins = own !== '' || index === 0;
  }
  return parts.join('');
}

function resolveEscapes(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string;
    const next = text[at + 1];
    if (char !== '\\' || next === undefined) {
      out += char;
      continue;
    }
    const digits = CODE_DIGITS.get(next);
    const code =
      digits === undefined ? null : codePoint(text.slice(at + 2, at + 2 + digits), digits);
    // What is no escape stays as it was written.
    out += code ?? ESCAPES.get(next) ?? char + next;
    at += 1 + (code === null ? 0 : (digits ?? 0));
  }
  return out;
}

function codePoint(hex: string, digits: number): string | null {
  if (hex.length !== digits || !/^[0-9a-f]+$/i.test(hex)) return null;
  const code = Number.parseInt(hex, 16);
  return code > 0x10_ff_ff ? null : String.fromCodePoint(code);
}
