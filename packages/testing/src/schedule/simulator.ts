import type { Clock } from '@helix-agents/core';
import { isHashing, nextTurn } from '../world/event-loop.ts';
import { VirtualTime } from '../world/virtual-time.ts';
import type { Random } from '../world/random.ts';

/**
 * One thread, virtual time, one call at a time.
 *
 * Owns: the queue of calls that processes made and that are not answered yet. Timers are `VirtualTime`'s.
 * I1. Between two calls every promise has come to rest, so a seed decides the whole order.
 * I2. A process that is down runs nothing: its calls stay unanswered, its timers do not fire.
 * I3. A process that is paused runs nothing until it goes on; then its late timers fire.
 */
export interface Simulator {
  readonly now: () => number;
  /** A number that rises with everything that happens; orders all logs. */
  tick(): number;
  /** A call of a process to the outside. It is carried out when its turn comes. */
  call<T>(process: SimulatedProcess, label: string, work: () => Promise<T>): Promise<T>;
  clockOf(process: SimulatedProcess): Clock;
  /** Carries out one call or lets one timer fire. False when nothing is left to do. */
  step(): Promise<boolean>;
  /** Moves the clock; what is overdue fires with the next steps. */
  jump(ms: number): void;
  /** Kills a process. Calls it had sent may still be carried out; their replies are dropped. */
  kill(process: SimulatedProcess, arrives: (label: string) => boolean): Promise<void>;
  /** Whose call is being carried out. */
  readonly current: string;
  readonly waiting: number;
}

export interface SimulatedProcess {
  readonly name: string;
  state: 'up' | 'paused' | 'down';
}

/** How the next call is chosen: each explores other races. */
export type Strategy = 'uniform' | 'priority' | 'newest' | 'oldest' | 'one-process';

interface PendingCall {
  readonly process: SimulatedProcess;
  readonly label: string;
  readonly priority: number;
  readonly perform: () => Promise<() => void>;
}

export interface SimulatorOptions {
  readonly random: Random;
  readonly strategy: Strategy;
  readonly start: number;
  /** How likely a timer fires although calls wait. */
  readonly hurry: number;
}

export function createSimulator(options: SimulatorOptions): Simulator {
  const { random, strategy, hurry } = options;
  const time = new VirtualTime(options.start);
  let ticks = 0;
  let calls: PendingCall[] = [];
  let favourite: string | null = null;
  let current = '';

  const choose = (ready: readonly PendingCall[]): PendingCall => {
    if (strategy === 'uniform' || random.chance(0.1)) return random.pick(ready);
    if (strategy === 'oldest') return ready[0] as PendingCall;
    if (strategy === 'newest') return ready.at(-1) as PendingCall;
    if (strategy === 'priority') return ready.reduce((a, b) => (b.priority > a.priority ? b : a));
    if (!ready.some((call) => call.process.name === favourite) || random.chance(0.02)) {
      favourite = random.pick(ready).process.name;
    }
    return random.pick(ready.filter((call) => call.process.name === favourite));
  };
  const carryOut = async (call: PendingCall): Promise<void> => {
    current = call.process.name;
    const answer = await call.perform();
    if (call.process.state !== 'down') answer();
  };

  return {
    now: time.now,
    tick: () => (ticks += 1),
    call<T>(process: SimulatedProcess, label: string, work: () => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const perform = (): Promise<() => void> =>
          work().then(
            (value) => () => resolve(value),
            (error: unknown) => () => reject(error),
          );
        if (process.state === 'down') return;
        calls.push({ process, label, priority: random.next(), perform });
      });
    },
    clockOf: (process) => time.clock(() => process.state === 'up'),
    async step() {
      const ready = calls.filter((call) => call.process.state === 'up');
      if (ready.length > 0 && !(time.hasTimer && random.chance(hurry))) {
        const chosen = choose(ready);
        calls = calls.filter((call) => call !== chosen);
        await carryOut(chosen);
      } else if (!time.fireNext()) {
        return false;
      }
      await comeToRest();
      return true;
    },
    jump: (ms) => time.jump(ms),
    async kill(process, arrives) {
      const sent = calls.filter((call) => call.process === process);
      calls = calls.filter((call) => call.process !== process);
      process.state = 'down';
      current = process.name;
      for (const call of sent) if (arrives(call.label)) await call.perform();
      await comeToRest();
    },
    get current() {
      return current;
    },
    get waiting() {
      return calls.length + time.pending;
    },
  };
}

/** Every promise that can go on has gone on. */
async function comeToRest(): Promise<void> {
  do await nextTurn();
  while (isHashing());
}
