/**
 * Reads the frontmatter of a skill: the part of YAML that skills are written in. Plain, quoted and block scalars; lists and maps, in lines or in
 * brackets. Tags, anchors and aliases are text, so nothing in it can grow.
 *
 * Where strict YAML refuses what people write, this reads what they meant: a plain value runs to the end of its line, colons
 * included; brackets or quotes that do not enclose the whole value are text. Time and memory are linear in the text.
 */
import { blockScalarStyle, readBlockScalar, type BlockScalarStyle } from './block-scalar.ts';
import { endOfFlow, readFlow } from './flow.ts';
import { endOfQuoted, foldLines, readQuoted } from './quoted.ts';
import {
  checkDepth,
  FrontmatterFault,
  type FrontmatterMap,
  type FrontmatterValue,
} from './value.ts';

interface Line {
  readonly indent: number;
  /** Without indentation. */
  readonly text: string;
  readonly raw: string;
}

export function readFrontmatter(text: string): FrontmatterMap {
  const lines = text.split('\n').map(toLine);
  const reader = new BlockReader(lines);
  const value = reader.block(-1, 1);
  if (value === '') return new Map();
  if (!(value instanceof Map)) throw new FrontmatterFault('the frontmatter is no list of keys');
  reader.expectEnd();
  return value as FrontmatterMap;
}

function toLine(raw: string): Line {
  const text = raw.trimStart();
  return { indent: raw.length - text.length, text: text.trimEnd(), raw };
}

class BlockReader {
  readonly #lines: readonly Line[];
  #at = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  expectEnd(): void {
    const line = this.#next();
    if (line) throw new FrontmatterFault(`cannot read the line "${shorten(line.text)}"`);
  }

  /** What stands deeper than `parent`: a map, a list, or text over several lines. */
  block(parent: number, depth: number): FrontmatterValue {
    checkDepth(depth);
    const first = this.#next();
    if (!first || first.indent <= parent) return '';
    if (isItem(first)) return this.#list(first.indent, depth);
    if (splitEntry(first.text)) return this.#map(first.indent, depth);
    this.#at += 1;
    return this.#inline(first.text, parent, depth);
  }

  #map(indent: number, depth: number): FrontmatterMap {
    const entries = new Map<string, FrontmatterValue>();
    for (let line = this.#next(); line?.indent === indent; line = this.#next()) {
      const entry = splitEntry(line.text);
      if (!entry) break;
      this.#at += 1;
      const value = this.#value(entry.rest, indent, depth);
      // The first of two equal keys counts.
      if (!entries.has(entry.key)) entries.set(entry.key, value);
    }
    return entries;
  }

  #list(indent: number, depth: number): readonly FrontmatterValue[] {
    const items: FrontmatterValue[] = [];
    for (let line = this.#next(); line && isItem(line); line = this.#next()) {
      if (line.indent !== indent) break;
      const text = line.text.slice(1).trimStart();
      this.#at += 1;
      if (splitEntry(text)) items.push(this.#mapInItem(line, text, depth));
      else
        items.push(text === '' ? this.block(indent, depth + 1) : this.#value(text, indent, depth));
    }
    return items;
  }

  /** `- key: value`, and the lines below that stand under its key. */
  #mapInItem(item: Line, text: string, depth: number): FrontmatterValue {
    const indent = item.indent + item.text.length - text.length;
    const first: Line = { indent, text, raw: ' '.repeat(indent) + text };
    const nested = new BlockReader([first, ...this.#deeperLines(item.indent)]);
    const value = nested.block(item.indent, depth + 1);
    nested.expectEnd();
    return value;
  }

  #deeperLines(indent: number): readonly Line[] {
    const from = this.#at;
    while (this.#isDeeper(this.#lines[this.#at], indent)) this.#at += 1;
    return this.#lines.slice(from, this.#at);
  }

  #value(rest: string, indent: number, depth: number): FrontmatterValue {
    const style = blockScalarStyle(rest);
    if (style) return this.#blockScalar(style, indent);
    if (rest !== '' && !rest.startsWith('#')) return this.#inline(rest, indent, depth);
    const next = this.#next();
    // A list may stand as deep as its key.
    if (next?.indent === indent && isItem(next)) return this.#list(indent, depth + 1);
    return this.block(indent, depth + 1);
  }

  #blockScalar(style: BlockScalarStyle, indent: number): string {
    const lines = this.#deeperLines(indent);
    const first = lines.find((line) => line.text !== '');
    const own = style.indent === null ? (first?.indent ?? 0) : Math.max(indent, 0) + style.indent;
    return readBlockScalar(
      lines.map(({ raw, indent: has }) => raw.slice(Math.min(own, has))),
      style,
    );
  }

  /** A value that begins on the line of its key and may go on below, deeper than that. */
  #inline(first: string, indent: number, depth: number): FrontmatterValue {
    const from = this.#at;
    const below = this.#deeperLines(indent);
    const text = [first, ...below.map((line) => line.text)].join('\n');
    if (/^["']/.test(first)) {
      const end = endOfQuoted(text, 0);
      if (end !== -1 && isRestEmpty(text.slice(end))) return readQuoted(text.slice(0, end));
    }
    if (/^[[{]/.test(first)) {
      const flow = this.#flow(text, indent, depth);
      if (flow !== null) return flow;
    }
    this.#at = from + below.length;
    return plain([first, ...below.map((line) => line.text)]);
  }

  /** The closing bracket may stand as deep as the key. */
  #flow(text: string, indent: number, depth: number): FrontmatterValue | null {
    const closing = this.#lines[this.#at];
    const closes = closing?.indent === indent && /^[\]}]+,?$/.test(closing.text);
    const whole = closes ? `${text}\n${closing.text}` : text;
    const end = endOfFlow(whole);
    if (end === -1 || !isRestEmpty(whole.slice(end))) return null;
    const value = readFlow(whole.slice(0, end), depth + 1);
    if (value !== null && end > text.length) this.#at += 1;
    return value;
  }

  /** The next line with something to read. */
  #next(): Line | undefined {
    for (;;) {
      const line = this.#lines[this.#at];
      if (!line || (line.text !== '' && !line.text.startsWith('#'))) return line;
      this.#at += 1;
    }
  }

  #isDeeper(line: Line | undefined, indent: number): boolean {
    return line !== undefined && (line.text === '' || line.indent > indent);
  }
}

function isItem({ text }: Line): boolean {
  return text === '-' || text.startsWith('- ') || text.startsWith('-\t');
}

/** A key, plain or quoted, and what follows it on its line. */
function splitEntry(text: string): { readonly key: string; readonly rest: string } | null {
  const quoted = /^["']/.test(text) ? endOfQuoted(text, 0) : 0;
  if (quoted === -1 || /^[#[\]{},]/.test(text)) return null;
  const at = quoted + text.slice(quoted).search(/:(?:[ \t]|$)/);
  if (at < quoted || at === 0) return null;
  const key = text.slice(0, at).trimEnd();
  if (quoted > 0 && key.length !== quoted) return null;
  return { key: quoted > 0 ? readQuoted(key) : key, rest: text.slice(at + 1).trim() };
}

/** Nothing but space and comments. */
function isRestEmpty(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(?:#.*)?$/.test(line));
}

/** Text without quotes: a comment ends a line, and lines are folded. `null` and `~` say nothing. */
function plain(lines: readonly string[]): string {
  const text = foldLines(lines.map(withoutComment).join('\n')).trim();
  return text === '~' || /^(?:null|Null|NULL)$/.test(text) ? '' : text;
}

function withoutComment(line: string): string {
  const at = line.search(/(?:^|[ \t])#/);
  return at === -1 ? line : line.slice(0, at);
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
