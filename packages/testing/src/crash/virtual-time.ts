import type { Clock } from '@helix-agents/core';

/** The clock of one process: its timers fire only while it lives and runs. */
export interface ProcessClock extends Clock {
  /** Timers stay and do not fire. */
  hold(): void;
  release(): void;
  /** The process is gone, and its timers with it. */
  drop(): void;
}

interface Timer {
  readonly due: number;
  readonly owner: object;
  readonly callback: () => void;
}

/** Longest stretch without an end before a wait is called stuck. */
const STUCK_AFTER_MS = 3_600_000;

/**
 * Time of a simulated world. It stands still while anybody has something to do, and jumps to the next timer when nobody
 * has: a run with minutes of waiting takes milliseconds, in the same order every time.
 */
export class VirtualTime {
  #now = 1_800_000_000_000;
  readonly #timers = new Set<Timer>();
  readonly #held = new Set<object>();
  #busy = 0;
  #activity = 0;
  #hashing = false;

  readonly now = (): number => this.#now;

  clock(): ProcessClock {
    const owner = {};
    let gone = false;
    return {
      now: this.now,
      setTimer: (ms, callback) => {
        if (gone) return () => {};
        const timer = { due: this.#now + Math.max(0, ms), owner, callback };
        this.#timers.add(timer);
        return () => void this.#timers.delete(timer);
      },
      hold: () => void this.#held.add(owner),
      release: () => void this.#held.delete(owner),
      drop: () => {
        gone = true;
        for (const timer of this.#timers) if (timer.owner === owner) this.#timers.delete(timer);
      },
    };
  }

  /** Work that takes real time and during which the world's time stands still. */
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

  /** Moves the clock without firing anything in between, as a long silence does. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Lets the world go on until `done`. Throws when nothing is left that could bring it about. */
  async until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
    const end = this.#now + STUCK_AFTER_MS;
    // Asking takes real time where the store is a server, and whatever was asked about may have died meanwhile.
    for (let silent = 0; silent < 3 && this.#now <= end; silent += 1) {
      await this.quiet();
      if (await done()) return;
      if (this.#fireNext()) silent = -1;
      else this.#hashing = true;
    }
    throw new Error(`Stuck: waiting for ${what}`);
  }

  /** Lets this much time pass, with all that happens in it. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.quiet();
    while (this.#fireNext(end)) await this.quiet();
    this.#now = Math.max(this.#now, end);
  }

  /** Something has begun that takes a moment outside of this thread: the hash of a call's input. */
  expectHashing(): void {
    this.#hashing = true;
  }

  /** Nobody has anything to do before a timer fires. */
  async quiet(): Promise<void> {
    for (let seen = -1; seen !== this.#activity || this.#busy > 0 || this.#hashing;) {
      seen = this.#activity;
      await turn();
      await turn();
      if (!this.#hashing || seen !== this.#activity) continue;
      // Digests are done in order: when this one is, those begun before it are.
      this.#hashing = false;
      await crypto.subtle.digest('SHA-256', new Uint8Array(1));
      await turn();
    }
  }

  #fireNext(latest = Infinity): boolean {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (this.#held.has(timer.owner)) continue;
      if (!first || timer.due < first.due) first = timer;
    }
    if (!first || first.due > latest) return false;
    this.#timers.delete(first);
    this.#now = Math.max(this.#now, first.due);
    first.callback();
    return true;
  }
}

// Taken before a test can replace it with a fake. Where there is none, a timer is as good and slower.
const { setImmediate: soon = (callback: () => void) => setTimeout(callback, 0) } =
  globalThis as unknown as { setImmediate?: (callback: () => void) => unknown };

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => void soon(resolve));
}
