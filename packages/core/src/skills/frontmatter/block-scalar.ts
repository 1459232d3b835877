/** `|` or `>`, with how the end is kept and how deep the text stands, in either order. */
const HEADER = /^([|>])(?:([+-])([1-9])?|([1-9])([+-])?)?(?:[ \t]+#.*)?$/;

export interface BlockScalarStyle {
  readonly folded: boolean;
  readonly end: 'clip' | 'strip' | 'keep';
  /** Columns beyond its key; null: as deep as its first line. */
  readonly indent: number | null;
}

export function blockScalarStyle(text: string): BlockScalarStyle | null {
  const match = HEADER.exec(text);
  if (!match) return null;
  const chomp = match[2] ?? match[5];
  const indent = match[3] ?? match[4];
  return {
    folded: match[1] === '>',
    end: chomp === '-' ? 'strip' : chomp === '+' ? 'keep' : 'clip',
    indent: indent === undefined ? null : Number(indent),
  };
}

/** The text of a block scalar from its lines, whose own indentation is cut off. */
export function readBlockScalar(lines: readonly string[], style: BlockScalarStyle): string {
  const kept = lines.slice();
  let blanks = 0;
  while (kept.length > 0 && kept.at(-1)?.trim() === '') {
    kept.pop();
    blanks += 1;
  }
  if (kept.length === 0) return style.end === 'keep' ? '\n'.repeat(blanks) : '';
  const text = style.folded ? foldBlock(kept) : kept.join('\n');
  switch (style.end) {
    case 'strip':
      return text;
    case 'clip':
      return `${text}\n`;
    case 'keep':
      return `${text}\n${'\n'.repeat(blanks)}`;
  }
}

/** Lines of one paragraph become one line. Those that stand deeper keep their breaks. */
function foldBlock(lines: readonly string[]): string {
  let out = lines[0] ?? '';
  let blanks = 0;
  let before = out;
  for (const line of lines.slice(1)) {
    if (line.trim() === '') {
      blanks += 1;
      continue;
    }
    const asIs = isDeeper(before) || isDeeper(line);
    out += asIs ? '\n'.repeat(blanks + 1) : blanks > 0 ? '\n'.repeat(blanks) : ' ';
    out += line;
    before = line;
    blanks = 0;
  }
  return out;
}

function isDeeper(line: string): boolean {
  return line.startsWith(' ') || line.startsWith('\t');
}
