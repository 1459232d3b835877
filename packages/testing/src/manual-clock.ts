/** Time that moves only when a test moves it. Fits wherever a clock or a `now` is asked for. */
export interface ManualClock {
  readonly now: () => number;
  /** Calls back when `ms` have passed; returns its cancellation. */
  readonly setTimer: (ms: number, callback: () => void) => () => void;
  readonly sleep: (ms: number) => Promise<void>;
  /** Lets time pass. Timers fire in order, each at its own time, also those set on the way. */
  readonly advance: (ms: number) => Promise<void>;
  /** Sets the time of day, forward or back, as a corrected clock does. Timers do not mind. */
  readonly set: (time: number) => void;
  /** How many timers wait. */
  readonly pending: number;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

// Taken before a test can replace it with a fake.
const realSetTimeout = globalThis.setTimeout;

export function manualClock(start: number = 1_800_000_000_000): ManualClock {
  const timers = new Set<Timer>();
  let elapsed = 0;
  let offset = start;

  const setTimer = (ms: number, callback: () => void): (() => void) => {
    const timer = { due: elapsed + Math.max(0, ms), callback };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const earliest = (until: number): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (timer.due <= until && (!first || timer.due < first.due)) first = timer;
    }
    return first;
  };

  return {
    now: () => elapsed + offset,
    setTimer,
    sleep: (ms) => new Promise((resolve) => void setTimer(ms, resolve)),
    async advance(ms) {
      const until = elapsed + ms;
      await settled();
      for (let timer = earliest(until); timer; timer = earliest(until)) {
        timers.delete(timer);
        elapsed = Math.max(elapsed, timer.due);
        timer.callback();
        await settled();
      }
      elapsed = until;
      await settled();
    },
    set(time) {
      offset = time - elapsed;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** What was waiting for promises has run. */
function settled(): Promise<void> {
  return new Promise((resolve) => void realSetTimeout(resolve, 0));
}
