/** What stops one execution of a tool: the run's own signal, or its time-out. */
export class ToolStop {
  readonly #scope: AbortSignal;
  readonly #controller = new AbortController();
  readonly #onAbort = (): void => this.abort(this.#scope.reason);

  constructor(scope: AbortSignal) {
    this.#scope = scope;
    scope.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Handed to the tool. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** By the run's own signal, not by its time-out. */
  get fromOutside(): boolean {
    return this.#scope.aborted;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  release(): void {
    this.#scope.removeEventListener('abort', this.#onAbort);
  }
}
