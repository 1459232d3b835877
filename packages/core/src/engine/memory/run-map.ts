/** One claim of a session. */
export interface OwnedRun {
  readonly sessionId: string;
  readonly epoch: number;
}

/** What belongs to claims of sessions, found without making a key of the two: it is asked for several times a step. */
export class RunMap<T> {
  readonly #sessions = new Map<string, Map<number, T>>();

  /** Sessions with something in it. */
  get size(): number {
    return this.#sessions.size;
  }

  get(run: OwnedRun): T | undefined {
    return this.#sessions.get(run.sessionId)?.get(run.epoch);
  }

  set(run: OwnedRun, value: T): void {
    const epochs = this.#sessions.get(run.sessionId);
    if (epochs) epochs.set(run.epoch, value);
    else this.#sessions.set(run.sessionId, new Map([[run.epoch, value]]));
  }

  delete(run: OwnedRun): void {
    const epochs = this.#sessions.get(run.sessionId);
    if (epochs?.delete(run.epoch) && epochs.size === 0) this.#sessions.delete(run.sessionId);
  }

  /** The session that came first. */
  deleteOldest(): void {
    for (const sessionId of this.#sessions.keys()) {
      this.#sessions.delete(sessionId);
      return;
    }
  }
}
