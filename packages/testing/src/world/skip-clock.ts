import type { Clock } from '@helix-agents/core';

/** Real time, of which a test can skip any amount. */
export interface SkipClock extends Clock {
  /** Lets that much time have passed: what became due fires, then what it set off runs. */
  skip(ms: number): Promise<void>;
  /** How many timers wait. */
  readonly pending: number;
  /** Cancels every timer. */
  stop(): void;
}

interface Timer {
  readonly due: number;
  readonly fire: () => void;
  readonly handle: ReturnType<typeof setTimeout>;
}

const LONGEST_MS = 2_147_483_647;

export function skipClock(): SkipClock {
  const timers = new Set<Timer>();
  let skipped = 0;
  const now = (): number => Date.now() + skipped;
  const drop = (timer: Timer): void => {
    clearTimeout(timer.handle);
    timers.delete(timer);
  };
  return {
    now,
    setTimer(ms, callback) {
      const fire = (): void => {
        drop(timer);
        callback();
      };
      const timer: Timer = {
        due: now() + ms,
        fire,
        handle: setTimeout(fire, Math.min(ms, LONGEST_MS)),
      };
      timers.add(timer);
      return () => drop(timer);
    },
    async skip(ms) {
      skipped += ms;
      const due = [...timers].filter((timer) => timer.due <= now());
      for (const timer of due.toSorted((a, b) => a.due - b.due))
        if (timers.has(timer)) timer.fire();
      await new Promise((resolve) => setTimeout(resolve, 3));
    },
    get pending() {
      return timers.size;
    },
    stop() {
      for (const timer of timers) drop(timer);
    },
  };
}
