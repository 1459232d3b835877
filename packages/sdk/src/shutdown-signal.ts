const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Calls `close` on the first signal, then lets the process end as the signal would have ended it. A second signal ends
 * it at once. Where the application has handlers of its own, ending the process is left to them. Returns how to stop
 * listening.
 */
export function onShutdownSignal(close: () => Promise<void>): () => void {
  const stop = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    stop();
    const end = (): void => {
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    };
    // Code that awaits a stream or a result runs before the process ends.
    const endSoon = (): void => void setImmediate(end);
    close().then(endSoon, endSoon);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return stop;
}
