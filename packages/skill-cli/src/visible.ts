/**
 * Characters that a reader does not see but a model reads, or that change what a terminal shows: control characters, marks of
 * direction, spaces of no width, tags, and selectors that nothing stands before. Tabs and line ends are not among them.
 */
const INVISIBLE =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\u{1d173}|[\u{1d174}-\u{1d17a}]/gu;
/** Joined emoji and some flags are made with such characters, and look like what they are. */
const EMOJI = /\p{RGI_Emoji}/gv;

const MAX_PLACES = 5;

/** Text of others, as it may be printed within a line: what could not be seen, or would steer the terminal, is written out. */
export function visible(text: string): string {
  return visibleLines(text).replaceAll('\n', '<U+000A>');
}

/** The same for text of several lines. */
export function visibleLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(INVISIBLE, (char) => `<${codePoint(char)}>`);
}

/** The same as escapes of JavaScript, for the inside of a literal. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, (char) =>
    Array.from({ length: char.length }, (_, index) => {
      const unit = char.charCodeAt(index).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join(''),
  );
}

/** Where a text has characters that a reader does not see: `3:14 U+200B`, the first few of them. */
export function invisiblePlaces(text: string): string[] {
  const places: string[] = [];
  let rest = 0;
  for (const [index, line] of text.replaceAll('\r\n', '\n').split('\n').entries()) {
    const plain = line.replaceAll(EMOJI, (emoji) => '-'.repeat(emoji.length));
    for (const { 0: char, index: column } of plain.matchAll(INVISIBLE)) {
      if (places.length < MAX_PLACES) places.push(`${index + 1}:${column + 1} ${codePoint(char)}`);
      else rest += 1;
    }
  }
  return rest === 0 ? places : [...places, `and ${rest} more`];
}

function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
