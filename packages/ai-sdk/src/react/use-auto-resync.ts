import { useEffect, useRef } from 'react';

/** The part of `document` that is used. */
interface PageDocument extends EventTarget {
  readonly visibilityState: string;
}

export interface UseAutoResyncOptions {
  /** The session's id: tabs of one browser tell each other when something happened in it. */
  readonly id: string;
  readonly status: 'submitted' | 'streaming' | 'ready' | 'error';
  /** Asks the server whether there is more than this page shows. */
  readonly resync: () => Promise<unknown>;
  /** A call waits for a person, who may answer elsewhere: the server is also asked at intervals. */
  readonly waiting?: boolean;
  /** How often, while a call waits; 2,500 by default. False: only when the page is shown, focused or online again. */
  readonly intervalMs?: number | false;
}

/**
 * Keeps a page up to date with events outside of it: an answer from an inbox, a message from a second tab, a network that
 * was down. Does nothing while the page streams or is not visible.
 */
export function useAutoResync(options: UseAutoResyncOptions): void {
  const { id, status, waiting = false, intervalMs = 2_500 } = options;
  const latest = useRef(options);
  latest.current = options;
  const idle = isIdle(status);
  const tabs = useRef<BroadcastChannel>(null);

  useEffect(() => {
    const { document } = globalThis as unknown as { readonly document?: PageDocument };
    if (!document) return;
    const ask = (): void => {
      const { resync, status: now } = latest.current;
      if (isIdle(now) && document.visibilityState === 'visible')
        void resync().catch(() => undefined);
    };
    const channel = globalThis.BroadcastChannel ? new BroadcastChannel(`helix-chat-${id}`) : null;
    channel?.addEventListener('message', ask);
    tabs.current = channel;
    const timer = waiting && intervalMs !== false ? setInterval(ask, intervalMs) : undefined;
    document.addEventListener('visibilitychange', ask);
    for (const event of ['focus', 'online']) globalThis.addEventListener(event, ask);
    return () => {
      clearInterval(timer);
      tabs.current = null;
      channel?.close();
      document.removeEventListener('visibilitychange', ask);
      for (const event of ['focus', 'online']) globalThis.removeEventListener(event, ask);
    };
  }, [id, waiting, intervalMs]);

  // Other tabs are told when this one has begun or ended a request.
  const before = useRef(idle);
  useEffect(() => {
    if (before.current !== idle) tabs.current?.postMessage('changed');
    before.current = idle;
  }, [idle]);
}

function isIdle(status: UseAutoResyncOptions['status']): boolean {
  return status === 'ready' || status === 'error';
}
