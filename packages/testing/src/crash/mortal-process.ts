import type { Clock, LLMAdapter } from '@helix-agents/core';
import type {
  CommitPlan,
  FullStreamManager,
  SessionIndex,
  SessionStore,
  StreamEntry,
} from '@helix-agents/core/store';
import { InjectedFaultError, intercept } from '../world/fault-line.ts';
import type { VirtualTime } from '../world/virtual-time.ts';
import { factsOfPlan, type Boundary } from './boundary.ts';

/** What every call of a dead process gets. */
export class DeathError extends Error {
  override readonly name: string = 'DeathError';
}

/**
 * What happens to a process, and at which of its calls (counted from 0). `die`: from there on nothing of it reaches
 * anything. `pause`: all of it hangs until `resume()`. `fault`: that call to the store throws, once, and the process lives
 * on; where sessions at work side by side came in another order and it is none to the store, the next one that is.
 * `before`: the call was not performed; `after`: it was, and its reply is lost.
 */
export interface Fate {
  readonly kind: 'die' | 'pause' | 'fault';
  readonly at: number;
  readonly side: 'before' | 'after';
}

function isMet({ kind, at }: Fate, reached: number, { place }: Boundary): boolean {
  if (kind !== 'fault') return reached === at;
  return reached >= at && place === 'store';
}

type Facts = Omit<Boundary, 'thinking' | 'executing' | 'command'>;

/** A place that no fate names. */
const NEVER = -1;
const CLAIMS: readonly (string | undefined)[] = ['create', 'claim', 'supersede'];

/**
 * One process of a simulated world. Every call to the outside goes through `pass`, is counted and can be its last.
 *
 * I1. After death no call reaches store, stream or ledger, and no timer fires.
 * I2. A call that died `after` was applied; one that died `before` was not.
 */
export class MortalProcess {
  readonly clock: Clock;
  readonly boundaries: Boundary[] = [];
  readonly number: number;
  /** Where its fate caught up with it. */
  struck: Boundary | null = null;
  dead = false;
  command: string | null = null;
  thinking = 0;
  executing = 0;
  /** Names of the tools it is executing. */
  readonly running: string[] = [];
  readonly #time: VirtualTime;
  readonly #fate: Fate | null;
  readonly #wrapped = new WeakMap<object, object>();
  #gate: Promise<void> | null = null;
  #openGate = (): void => {};

  constructor(time: VirtualTime, number: number, fate: Fate | null) {
    this.#time = time;
    this.#fate = fate;
    this.number = number;
    this.clock = time.clock(() => !this.dead && !this.paused);
  }

  /** It was silent for longer than its lease: another process has taken over. */
  get wasPaused(): boolean {
    return this.struck !== null && this.#fate?.kind === 'pause';
  }

  get paused(): boolean {
    return this.#gate !== null;
  }

  /** Lets a paused process go on as if nothing had happened. */
  resume(): void {
    this.#gate = null;
    this.#openGate();
  }

  kill(): void {
    this.dead = true;
  }

  store(store: SessionStore): SessionStore {
    return this.#wrap('store', store, (method, args) =>
      method === 'commit' ? factsOfPlan(args[0] as CommitPlan) : {},
    );
  }

  index(index: SessionIndex): SessionIndex {
    return this.#wrap('index', index, () => ({}));
  }

  streams(streams: FullStreamManager): FullStreamManager {
    return this.#wrap('stream', streams, (method, args) =>
      method === 'append' || method === 'appendAndClose'
        ? { chunks: (args[1] as readonly StreamEntry[]).map((entry) => entry.chunk.type) }
        : {},
    );
  }

  model(model: LLMAdapter): LLMAdapter {
    return {
      generateStep: (input) =>
        this.pass({ place: 'model', what: input.agentType }, async () => {
          this.thinking += 1;
          try {
            return await model.generateStep(input);
          } finally {
            this.thinking -= 1;
          }
        }),
    };
  }

  /** Waits in its own time: for ever, when it dies meanwhile. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.setTimer(ms, resolve));
  }

  /** Counts a call, performs it, and lets fate strike before or after it. Polls depend on time and are not counted. */
  async pass<T>(facts: Facts, work: () => Promise<T>): Promise<T> {
    this.#check();
    const isPoll = facts.what === 'renewLease';
    const at = isPoll ? NEVER : this.boundaries.length;
    const { thinking, executing, command } = this;
    const boundary: Boundary = { ...facts, thinking, executing, command };
    if (!isPoll) this.boundaries.push(boundary);
    await this.#reach(at, 'before', boundary);
    const reply = await work();
    if (CLAIMS.includes(facts.purpose)) this.command = null;
    await this.#reach(at, 'after', boundary);
    return reply;
  }

  /** Throws when the process is dead; waits while it is paused. */
  async #reach(at: number, side: Fate['side'], boundary: Boundary): Promise<void> {
    const fate = this.#fate;
    if (fate && !this.struck && fate.side === side && isMet(fate, at, boundary)) {
      this.struck = boundary;
      this.#strike(fate, boundary);
    }
    while (this.#gate) await this.#gate;
    this.#check();
  }

  #strike(fate: Fate, boundary: Boundary): void {
    switch (fate.kind) {
      case 'die':
        this.kill();
        return;
      case 'pause':
        this.#gate = new Promise((resolve) => (this.#openGate = resolve));
        return;
      case 'fault':
        throw new InjectedFaultError(boundary.what);
    }
  }

  #check(): void {
    if (this.dead) throw new DeathError(`process ${this.number} is dead`);
  }

  /** The same object for the same target: two sessions share a database when their stores are one object. */
  #wrap<T extends object>(
    place: Boundary['place'],
    target: T,
    factsOf: (method: string, args: readonly unknown[]) => Partial<Facts>,
  ): T {
    const known = this.#wrapped.get(target);
    if (known) return known as T;
    const wrapper = intercept(target, ({ method: what, args, perform }) =>
      this.pass({ place, what, ...factsOf(what, args) }, () => this.#time.working(perform)),
    );
    this.#wrapped.set(target, wrapper);
    return wrapper;
  }
}
