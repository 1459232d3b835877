/** Wakes readers of a stream without waiting for their next poll. A lost notification only adds latency. */
export interface StreamNotifier {
  notify(streamId: string): void;
  /** Returns a function that ends the subscription. */
  subscribe(streamId: string, listener: () => void): () => void;
}

/** Reaches the readers of one process. */
export function createLocalNotifier(): StreamNotifier {
  const listeners = new Map<string, Set<() => void>>();
  return {
    notify(streamId) {
      for (const listener of listeners.get(streamId) ?? []) listener();
    },
    subscribe(streamId, listener) {
      const own = listeners.get(streamId) ?? new Set();
      listeners.set(streamId, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(streamId) === own) listeners.delete(streamId);
      };
    },
  };
}
