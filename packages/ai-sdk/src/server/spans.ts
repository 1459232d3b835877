/** Numbers from `from` to `to`, both included. */
export interface Span {
  readonly from: number;
  to: number;
}

/** Adds a number, which must be greater than all in the spans. */
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
  /** The first chunk that was withdrawn with it. */
  readonly first: number;
  /** The `step_discarded` chunk that withdraws it, which counts as withdrawn too. */
  readonly discard: number;
}

/** The chunks that were withdrawn. */
export class DiscardedSpans {
  readonly #spans: DiscardedSpan[] = [];
  #isSorted = true;

  add(spans: readonly Span[], discard: number): void {
    const first = spans[0]?.from ?? discard;
    for (const { from, to } of spans) this.#spans.push({ from, to, first, discard });
    this.#isSorted = false;
  }

  /**
   * Whether the chunk is hidden from a client. Chunks that the client has seen (up to `seen`) are not hidden, and then the
   * chunk that withdraws them is shown too. Only withdrawals up to `head` count.
   */
  hides(sequence: number, seen: number, head: number): boolean {
    if (!this.#isSorted) this.#spans.sort((a, b) => a.from - b.from);
    this.#isSorted = true;
    const span = findSpan(this.#spans, sequence);
    if (!span || span.discard > head || sequence <= seen) return false;
    return sequence !== span.discard || span.first > seen;
  }
}
