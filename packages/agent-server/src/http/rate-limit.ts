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
 * Counts in this process. No window is forgotten before it ends: while `MAX_KEYS` are open, further keys share windows. They
 * may be refused early then; nobody gets past a limit by making keys up.
 */
export function createMemoryRateLimitStore(now: () => number = Date.now): RateLimitStore {
  // Oldest first, which is also what ends first.
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

/** No key that is counted begins like it. */
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

/** A store that fails refuses too: nothing is lost, the client sends again. */
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
