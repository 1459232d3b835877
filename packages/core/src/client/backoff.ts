const FIRST_MS = 1_000;
const MAX_MS = 5 * 60_000;

interface Entry {
  readonly mark: number;
  /** When it was first found like this. */
  readonly since: number;
  readonly waitMs: number;
  readonly until: number;
}

/**
 * Roots that this process could not serve, or left to another process. Each is skipped for a while, and for twice as long
 * if it is found again unchanged. Roots that are no longer found are forgotten.
 */
export class Backoff {
  readonly #entries = new Map<string, Entry>();

  /** A new `mark` means that the root has changed: then the wait starts again at its shortest. */
  add(rootId: string, mark: number, now: number): void {
    const known = this.#entries.get(rootId);
    const isSame = known?.mark === mark;
    const waitMs = isSame ? Math.min(2 * known.waitMs, MAX_MS) : FIRST_MS;
    const since = isSame ? known.since : now;
    this.#entries.set(rootId, { mark, since, waitMs, until: now + waitMs });
  }

  /** When the root was first skipped with this mark; undefined if it was not. */
  since(rootId: string, mark: number): number | undefined {
    const known = this.#entries.get(rootId);
    return known?.mark === mark ? known.since : undefined;
  }

  /** The roots to skip now. */
  at(now: number): string[] {
    for (const [rootId, { until }] of this.#entries) {
      if (until + MAX_MS <= now) this.#entries.delete(rootId);
    }
    return [...this.#entries].flatMap(([rootId, { until }]) => (until > now ? [rootId] : []));
  }
}
