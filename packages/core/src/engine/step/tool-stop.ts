import { offAbort, onAbort } from '../../util/on-abort.ts';

/** What stops one execution: the run's own signal or its time. */
export class ToolStop {
  readonly #scope: AbortSignal;
  readonly #controller = new AbortController();
  #onStop: (() => void) | null = null;
  readonly #listener = (): void => {
    this.abort(this.#scope.reason);
    this.#onStop?.();
  };

  constructor(scope: AbortSignal) {
    this.#scope = scope;
    onAbort(scope, this.#listener);
  }

  set onStop(listener: () => void) {
    this.#onStop = listener;
    if (this.#scope.aborted) listener();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Rather than by its time. */
  get fromOutside(): boolean {
    return this.#scope.aborted;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  release(): void {
    offAbort(this.#scope, this.#listener);
  }
}
