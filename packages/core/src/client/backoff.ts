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
 * Roots that this process could not serve, or handed to somebody else to serve. Each is left out for a while, and twice as
 * long when it is found again as it was. Holds ids of what is due and waits, and forgets those that are not found any more.
 */
export class Backoff {
  readonly #entries = new Map<string, Entry>();

  /** `mark` changes when the root has moved: then it begins anew. */
  add(rootId: string, mark: number, now: number): void {
    const known = this.#entries.get(rootId);
    const isSame = known?.mark === mark;
    const waitMs = isSame ? Math.min(2 * known.waitMs, MAX_MS) : FIRST_MS;
    const since = isSame ? known.since : now;
    this.#entries.set(rootId, { mark, since, waitMs, until: now + waitMs });
  }

  /** When it was first set aside as it is; undefined if it was not. */
  since(rootId: string, mark: number): number | undefined {
    const known = this.#entries.get(rootId);
    return known?.mark === mark ? known.since : undefined;
  }

  /** Those that are left out now. */
  at(now: number): string[] {
    for (const [rootId, { until }] of this.#entries) {
      if (until + MAX_MS <= now) this.#entries.delete(rootId);
    }
    return [...this.#entries].flatMap(([rootId, { until }]) => (until > now ? [rootId] : []));
  }
}
