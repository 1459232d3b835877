import { VirtualTime } from './virtual-time.ts';

/** Time that moves only when a test moves it. Fits wherever a clock or a `now` is asked for. */
export interface ManualClock {
  readonly now: () => number;
  /** Calls back when `ms` have passed; returns its cancellation. */
  readonly setTimer: (ms: number, callback: () => void) => () => void;
  readonly sleep: (ms: number) => Promise<void>;
  /** Lets time pass. Timers fire in order, each at its own time, also those set on the way. */
  readonly advance: (ms: number) => Promise<void>;
  /** Sets the time of day, forward or back, as a corrected clock does. Timers are not affected. */
  readonly set: (time: number) => void;
  /** How many timers wait. */
  readonly pending: number;
}

export function manualClock(start?: number): ManualClock {
  const time = new VirtualTime(start);
  const clock = time.clock();
  let offset = 0;
  return {
    now: () => time.now() + offset,
    setTimer: (ms, callback) => clock.setTimer(ms, callback),
    sleep: (ms) => new Promise((resolve) => void clock.setTimer(ms, resolve)),
    advance: (ms) => time.pass(ms),
    set(day) {
      offset = day - time.now();
    },
    get pending() {
      return time.pending;
    },
  };
}
