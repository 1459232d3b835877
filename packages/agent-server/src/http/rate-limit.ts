import { errorMessage, type Logger } from '@helix-agents/core';
import { HttpRefusal, unavailable } from '@helix-agents/http';

/** Counts by key. If several servers share one store (Redis, SQL), the limit holds for all of them together. */
export interface RateLimitStore {
  /** Counts one more in the window that is open for this key, or opens one of `windowMs`. */
  hit(
    key: string,
    windowMs: number,
  ): Promise<{ readonly count: number; /** When the window ends. */ readonly resetAt: number }>;
}

export interface RateLimitOptions {
  /** By session; 60 by default. */
  readonly submitsPerMinute?: number;
  /** New sessions, by the principal's `id`; those without one are counted together. 600 by default. */
  readonly startsPerMinute?: number;
  /** In this process's memory by default. */
  readonly store?: RateLimitStore;
}

const WINDOW_MS = 60_000;
const DEFAULT_SUBMITS_PER_MINUTE = 60;
const DEFAULT_STARTS_PER_MINUTE = 600;
const MAX_KEYS = 10_000;
const SHARED_WINDOWS = 1_024;

interface Window {
  count: number;
  resetAt: number;
}

/**
 * Counts in this process. No window is dropped before it ends: while `MAX_KEYS` are open, further keys share windows and
 * may be refused early. So a caller cannot get past a limit with made-up keys.
 */
export function createMemoryRateLimitStore(now: () => number = Date.now): RateLimitStore {
  // Oldest first, which is also the order in which they end.
  const windows = new Map<string, Window>();
  const forgetEnded = (): void => {
    for (const [key, { resetAt }] of windows) {
      if (resetAt > now()) return;
      windows.delete(key);
    }
  };
  return {
    async hit(key, windowMs) {
      forgetEnded();
      const place = windows.has(key) || windows.size < MAX_KEYS ? key : sharedKey(key);
      const known = windows.get(place);
      const isOpen = known !== undefined && known.resetAt > now();
      const window = isOpen ? known : { count: 0, resetAt: now() + windowMs };
      window.count += 1;
      if (!isOpen) windows.delete(place);
      windows.set(place, window);
      return { ...window };
    },
  };
}

/** The key of a shared window. No other key begins with `shared:`. */
function sharedKey(key: string): string {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return `shared:${(hash >>> 0) % SHARED_WINDOWS}`;
}

/** Counts one more, or refuses with a 429. */
export type Limit = (name: string) => Promise<void>;

export interface RateLimits {
  /** By session. */
  readonly submit: Limit;
  /** By who starts. */
  readonly start: Limit;
}

/** If the store fails the request is refused: nothing is lost, the client can send it again. */
export function createRateLimits(
  options: RateLimitOptions | false,
  now: () => number,
  logger: Logger,
): RateLimits {
  if (options === false) return { submit: async () => undefined, start: async () => undefined };
  const store = options.store ?? createMemoryRateLimitStore(now);
  const create =
    (kind: string, limit: number, what: string): Limit =>
    async (name) => {
      const { count, resetAt } = await store
        .hit(`${kind}:${name}`, WINDOW_MS)
        .catch((error: unknown) => {
          logger.error('server.rate_limit_failed', { error: errorMessage(error) });
          throw unavailable('The rate limit could not be checked; send the request again.');
        });
      if (count > limit) throw tooMany(`More than ${limit} ${what}`, resetAt - now());
    };
  const { submitsPerMinute, startsPerMinute } = options;
  return {
    submit: create(
      'submit',
      submitsPerMinute ?? DEFAULT_SUBMITS_PER_MINUTE,
      'submissions a minute for this session',
    ),
    start: create('start', startsPerMinute ?? DEFAULT_STARTS_PER_MINUTE, 'new sessions a minute'),
  };
}

function tooMany(problem: string, leftMs: number): HttpRefusal {
  const seconds = Math.max(1, Math.ceil(leftMs / 1000));
  return new HttpRefusal(
    429,
    { error: `${problem}; wait ${seconds} s.`, code: 'RATE_LIMITED' },
    { 'retry-after': String(seconds) },
  );
}
