import type { Clock } from '@helix-agents/core';
import { isHashing, nextTurn } from './event-loop.ts';

interface Timer {
  readonly due: number;
  readonly runs: () => boolean;
  readonly callback: () => void;
}

/** Longest stretch without an end before a wait is called stuck. */
const STUCK_AFTER_MS = 3_600_000;

/**
 * The one simulated clock: the crash suite, the schedules and `manualClock` are built on it.
 *
 * Owns: the time, and the timers of all processes.
 * I1. Time moves only by `jump`, or when a timer fires: a run with minutes of waiting takes milliseconds.
 * I2. Timers fire in the order of their due times, those of the same time in the order they were set.
 * I3. A timer fires only while its process runs: those of a paused process fire late, those of a dead one never.
 */
export class VirtualTime {
  #now: number;
  readonly #timers = new Set<Timer>();
  #busy = 0;
  #activity = 0;

  constructor(start: number = 1_800_000_000_000) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** The clock of one process. */
  clock(runs: () => boolean = () => true): Clock {
    return {
      now: this.now,
      setTimer: (ms, callback) => {
        const timer = { due: this.#now + Math.max(0, ms), runs, callback };
        this.#timers.add(timer);
        return () => void this.#timers.delete(timer);
      },
    };
  }

  /** Work that takes real time, such as a call to a database, during which the virtual time stands still. */
  async working<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    this.#activity += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
      this.#activity += 1;
    }
  }

  /** Moves the time without firing anything. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Fires timers until `done`. Throws when no timer is left that could bring it about. */
  async until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
    const end = this.#now + STUCK_AFTER_MS;
    // Asking takes real time where the store is a server, and whatever was asked about may have died meanwhile.
    for (let silent = 0; silent < 3 && this.#now <= end; silent += 1) {
      await this.quiet();
      if (await done()) return;
      if (this.fireNext()) silent = -1;
    }
    throw new Error(`Stuck: waiting for ${what}`);
  }

  /** Lets this much time pass: timers fire, each at its own time, also those set on the way. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.quiet();
    while (this.fireNext(end)) await this.quiet();
    this.#now = Math.max(this.#now, end);
  }

  /** Waits until no process has anything to do before a timer fires. */
  async quiet(): Promise<void> {
    for (let seen = -1; seen !== this.#activity || this.#busy > 0 || isHashing();) {
      seen = this.#activity;
      await nextTurn();
      await nextTurn();
    }
  }

  /** Whether a timer of a running process waits. */
  get hasTimer(): boolean {
    return this.#next() !== undefined;
  }

  /** Moves on to the next timer and fires it. False when there is none up to `latest`. */
  fireNext(latest: number = Infinity): boolean {
    const next = this.#next();
    if (!next || next.due > latest) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.due);
    next.callback();
    return true;
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if ((!first || timer.due < first.due) && timer.runs()) first = timer;
    }
    return first;
  }
}
