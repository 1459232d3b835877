import { useCallback, useEffect, useState } from 'react';

export interface SessionEntry {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly waiting: number;
}

export interface InboxEntry {
  readonly sessionId: string;
  readonly title: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly kind: 'client' | 'approval';
  readonly agentType: string;
  readonly input: Record<string, unknown>;
  readonly openedAt: number;
}

export interface Overview {
  readonly pid: number | null;
  readonly sessions: readonly SessionEntry[];
  readonly inbox: readonly InboxEntry[];
}

const EMPTY: Overview = { pid: null, sessions: [], inbox: [] };
const EVERY_MS = 1_500;

/** All conversations and all that waits in them. */
export function useOverview(): {
  readonly overview: Overview;
  readonly online: boolean;
  readonly refresh: () => void;
} {
  const [overview, setOverview] = useState(EMPTY);
  const [online, setOnline] = useState(true);
  const refresh = useCallback(() => {
    if (document.visibilityState === 'hidden') return;
    fetch('api/overview')
      .then(async (response) => {
        setOverview((await response.json()) as Overview);
        setOnline(true);
      })
      .catch(() => setOnline(false));
  }, []);
  useEffect(() => {
    refresh();
    const timer = setInterval(refresh, EVERY_MS);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [refresh]);
  return { overview, online, refresh };
}
