/** Numbers from `from` to `to`, both included. */
export interface Span {
  readonly from: number;
  to: number;
}

/** Adds a number that is above all in there. */
export function addToSpans(spans: Span[], sequence: number): void {
  const last = spans.at(-1);
  if (last?.to === sequence - 1) last.to = sequence;
  else spans.push({ from: sequence, to: sequence });
}

/** The spans are in order and do not overlap. */
export function isInSpans(spans: readonly Span[], sequence: number): boolean {
  return findSpan(spans, sequence) !== undefined;
}

function findSpan<S extends Span>(spans: readonly S[], sequence: number): S | undefined {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle] as S).to < sequence) low = middle + 1;
    else high = middle;
  }
  const found = spans[low];
  return found && found.from <= sequence ? found : undefined;
}

interface DiscardedSpan extends Span {
  /** The first chunk that was taken back with it. */
  readonly first: number;
  /** The chunk that takes it back. It belongs to what is taken back. */
  readonly discard: number;
}

/** What was taken back. */
export class DiscardedSpans {
  readonly #spans: DiscardedSpan[] = [];
  #isSorted = true;

  add(spans: readonly Span[], discard: number): void {
    const first = spans[0]?.from ?? discard;
    for (const { from, to } of spans) this.#spans.push({ from, to, first, discard });
    this.#isSorted = false;
  }

  /**
   * Whether a client is not shown the chunk. What it saw is taken back in front of it: then the discard is shown. Only
   * discards up to `head` count.
   */
  hides(sequence: number, seen: number, head: number): boolean {
    if (!this.#isSorted) this.#spans.sort((a, b) => a.from - b.from);
    this.#isSorted = true;
    const span = findSpan(this.#spans, sequence);
    if (!span || span.discard > head || sequence <= seen) return false;
    return sequence !== span.discard || span.first > seen;
  }
}
