/**
 * SQLite stores texts as UTF-8, which cannot hold lone surrogates: all would become U+FFFD, and two different ids the same. Many
 * releases of Node also read a text only up to its first NUL. A lone surrogate is stored as a mark and four hex digits, NUL as a mark and
 * `0`, the mark itself as a mark and `1`. JSON is escaped before it gets here.
 */
const MARK = '\ue000';

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const MARKED = /\ue000(0|1|d[89a-f][0-9a-f]{2})/g;

/** The text is stored unchanged. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes(MARK) && !text.includes('\0');
}

export function encodeText(text: string): string {
  if (isPlain(text)) return text;
  return text
    .replaceAll(MARK, `${MARK}1`)
    .replaceAll('\0', `${MARK}0`)
    .replace(LONE_SURROGATE, (half) => MARK + half.charCodeAt(0).toString(16));
}

export function decodeText(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replace(MARKED, (_, name: string) => {
    if (name === '0') return '\0';
    return name === '1' ? MARK : String.fromCharCode(Number.parseInt(name, 16));
  });
}
