import { endOfQuoted, foldLines, readQuoted } from './quoted.ts';
import { checkDepth, type FrontmatterValue } from './value.ts';

/** A list or map in brackets, from its first to its last character; null if the text is not exactly that. */
export function readFlow(text: string, depth: number): FrontmatterValue | null {
  const reader = new FlowReader(text);
  const value = reader.value(depth);
  return value !== null && reader.isAtEnd() ? value : null;
}

/** Index right after the bracket that closes the first one; -1 if none does. */
export function endOfFlow(text: string): number {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string;
    if ((char === '"' || char === "'") && startsValue(text, at)) {
      const end = endOfQuoted(text, at);
      if (end === -1) return -1;
      at = end - 1;
    } else if (char === '[' || char === '{') open += 1;
    else if (char === ']' || char === '}') {
      open -= 1;
      if (open === 0) return at + 1;
    }
  }
  return -1;
}

/** An apostrophe inside of a word quotes nothing. */
function startsValue(text: string, at: number): boolean {
  return /[[{,:\s]/.test(text[at - 1] ?? ' ');
}

class FlowReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#skipSpace();
    return this.#at >= this.#text.length;
  }

  value(depth: number): FrontmatterValue | null {
    checkDepth(depth);
    this.#skipSpace();
    const char = this.#text[this.#at];
    if (char === '[') return this.#list(depth);
    if (char === '{') return this.#map(depth);
    return this.#scalar(/[,\]}]/);
  }

  #list(depth: number): FrontmatterValue | null {
    const items: FrontmatterValue[] = [];
    this.#at += 1;
    while (!this.#closes(']')) {
      const item = this.value(depth + 1);
      if (item === null || !this.#separates(']')) return null;
      items.push(item);
    }
    return items;
  }

  #map(depth: number): FrontmatterValue | null {
    const entries = new Map<string, FrontmatterValue>();
    this.#at += 1;
    while (!this.#closes('}')) {
      this.#skipSpace();
      const key = this.#scalar(/[,}]|:(?=[\s,}]|$)/);
      if (key === null || key === '') return null;
      this.#skipSpace();
      let value: FrontmatterValue | null = '';
      if (this.#text[this.#at] === ':') {
        this.#at += 1;
        value = this.value(depth + 1);
      }
      if (value === null || !this.#separates('}')) return null;
      entries.set(key, value);
    }
    return entries;
  }

  /** A quoted text, or what stands before the next `end`. */
  #scalar(end: RegExp): string | null {
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith('"') || rest.startsWith("'")) {
      const length = endOfQuoted(rest, 0);
      if (length === -1) return null;
      this.#at += length;
      return readQuoted(rest.slice(0, length));
    }
    const length = rest.search(end);
    if (length === -1) return null;
    this.#at += length;
    return foldLines(rest.slice(0, length)).trim();
  }

  #closes(bracket: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== bracket) return false;
    this.#at += 1;
    return true;
  }

  /** Past a comma, or before the closing bracket. */
  #separates(bracket: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] === bracket) return true;
    if (this.#text[this.#at] !== ',') return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }
}
