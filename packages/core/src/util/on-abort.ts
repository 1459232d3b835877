/** Who waits for a signal. One listener stands for all of them: adding one for every call of a run costs more. */
const waiting = new WeakMap<AbortSignal, (() => void)[]>();

/** Calls `listener` when the signal aborts, unless it is taken away before with `offAbort`. */
export function onAbort(signal: AbortSignal, listener: () => void): void {
  const known = waiting.get(signal);
  if (known) {
    known.push(listener);
    return;
  }
  const listeners = [listener];
  waiting.set(signal, listeners);
  signal.addEventListener('abort', () => listeners.splice(0).forEach((tell) => tell()), {
    once: true,
  });
}

export function offAbort(signal: AbortSignal, listener: () => void): void {
  const listeners = waiting.get(signal);
  const place = listeners?.indexOf(listener) ?? -1;
  if (place !== -1) listeners?.splice(place, 1);
}
