import { errorMessage, type Logger } from '@helix-agents/core';
import { HttpRefusal, unavailable } from '@helix-agents/http';

/** Counts by key. One that several servers share (Redis, SQL) makes the limit theirs together. */
export interface RateLimitStore {
  /** Counts one more in the window that is open for this key, or opens one of `windowMs`. */
  hit(
    key: string,
    windowMs: number,
  ): Promise<{ readonly count: number; /** When the window ends. */ readonly resetAt: number }>;
}

export interface RateLimitOptions {
  /** 60 by default. */
  readonly submitsPerMinute?: number;
  /** In this process's memory by default. */
  readonly store?: RateLimitStore;
}

const WINDOW_MS = 60_000;
const DEFAULT_SUBMITS_PER_MINUTE = 60;
const MAX_KEYS = 10_000;

/** Counts in this process; forgets the oldest windows beyond `MAX_KEYS`. */
export function createMemoryRateLimitStore(now: () => number = Date.now): RateLimitStore {
  const windows = new Map<string, { count: number; resetAt: number }>();
  return {
    async hit(key, windowMs) {
      const known = windows.get(key);
      const window =
        known && known.resetAt > now() ? known : { count: 0, resetAt: now() + windowMs };
      window.count += 1;
      // Oldest first, so that what is forgotten is what would end first.
      if (window !== known) {
        windows.delete(key);
        windows.set(key, window);
      }
      for (const oldest of windows.keys()) {
        if (windows.size <= MAX_KEYS) break;
        windows.delete(oldest);
      }
      return { ...window };
    },
  };
}

export type LimitSubmits = (sessionId: string) => Promise<void>;

/** Refuses a session's submissions beyond the limit. A store that fails refuses too: nothing is lost, the client sends again. */
export function createSubmitLimit(
  options: RateLimitOptions | false,
  now: () => number,
  logger: Logger,
): LimitSubmits {
  if (options === false) return async () => undefined;
  const limit = options.submitsPerMinute ?? DEFAULT_SUBMITS_PER_MINUTE;
  const store = options.store ?? createMemoryRateLimitStore(now);
  return async (sessionId) => {
    const { count, resetAt } = await store
      .hit(`submit:${sessionId}`, WINDOW_MS)
      .catch((error: unknown) => {
        logger.error('server.rate_limit_failed', { error: errorMessage(error) });
        throw unavailable('The rate limit could not be checked; send the request again.');
      });
    if (count <= limit) return;
    const seconds = Math.max(1, Math.ceil((resetAt - now()) / 1000));
    throw new HttpRefusal(
      429,
      {
        error: `More than ${limit} submissions a minute for this session; wait ${seconds} s.`,
        code: 'RATE_LIMITED',
      },
      { 'retry-after': String(seconds) },
    );
  };
}
