import type { Clock } from '../engine/clock.ts';

/** Longest delay a timer takes; longer ones would fire at once. */
const MAX_DELAY = 2_147_483_647;

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, MAX_DELAY));
    return () => clearTimeout(timer);
  },
};
