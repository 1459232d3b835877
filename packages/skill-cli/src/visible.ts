/**
 * Characters that a reader does not see but a model reads, or that change what a terminal shows: control and format characters, marks of
 * direction, spaces and letters of no width or without a shape, tags, selectors, characters for private use. Tabs and line ends
 * are not among them. Emoji come first: some are made with such characters, and look like what they are.
 */
const SEEN_OR_INVISIBLE =
  /\p{RGI_Emoji}|\p{Extended_Pictographic}\ufe0e|(?<invisible>[[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\p{Noncharacter_Code_Point}\u2028\u2029\u2800\u{16fe4}\u{1d159}]--[\t\n]])/gv;

const MAX_PLACES = 5;

/** Text of others, as it may be printed within a line: what could not be seen, or would steer the terminal, is written out. */
export function visible(text: string): string {
  return visibleLines(text).replaceAll('\n', '<U+000A>');
}

/** The same for text of several lines. */
export function visibleLines(text: string): string {
  return replaceInvisible(text.replaceAll('\r\n', '\n'), (char) => `<${codePoint(char)}>`);
}

/** The same as escapes of JavaScript, for the inside of a literal. */
export function escapeInvisible(text: string): string {
  return replaceInvisible(text, (char) =>
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
  for (const [line, content] of text.replaceAll('\r\n', '\n').split('\n').entries()) {
    for (const { index, groups } of content.matchAll(SEEN_OR_INVISIBLE)) {
      if (groups?.['invisible'] === undefined) continue;
      const place = `${line + 1}:${index + 1} ${codePoint(groups['invisible'])}`;
      // A mark at the very start is how some editors save UTF-8.
      if (place === '1:1 U+FEFF') continue;
      if (places.length < MAX_PLACES) places.push(place);
      else rest += 1;
    }
  }
  return rest === 0 ? places : [...places, `and ${rest} more`];
}

function replaceInvisible(text: string, written: (char: string) => string): string {
  return text.replaceAll(SEEN_OR_INVISIBLE, (match: string, invisible: string | undefined) =>
    invisible === undefined ? match : written(match),
  );
}

function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
