import { runSession, type Host, type LoopOutcome, type LoopRun } from '@helix-agents/core/host';
import type { HostSeams } from '@helix-agents/core/host';
import { throughJson } from './plain-data.ts';

/**
 * A host that drops the loop after every operation and runs it again from the recorded results, as workflow engines do:
 * the steps, the waves and the children of each. A loop that then asks for something else, or in another order, fails
 * the run.
 */
export function replayHost(loop: typeof runSession = runSession): HostSeams {
  return { shareMemory: false, runLoop: (host, run) => replayLoop(loop, host, run) };
}

type Outcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: unknown };

interface Finished {
  /** Of the operation among all that was asked for. */
  readonly place: number;
  readonly outcome: Outcome;
  /** How much the loop had asked for when it first heard of it. */
  askedBefore: number | null;
}

/** What an engine keeps of a run. Operations go on while the loop that asked for them is gone. */
interface History {
  /** Everything that was asked for, in order. */
  readonly asked: string[];
  /** In the order in which it was done. */
  readonly finished: Finished[];
  readonly cancels: Map<number, () => void>;
  /** Resolves with the next operation that is done. */
  next: PromiseWithResolvers<void>;
}

async function replayLoop(loop: typeof runSession, host: Host, run: LoopRun): Promise<LoopOutcome> {
  const history: History = {
    asked: [],
    finished: [],
    cancels: new Map(),
    next: Promise.withResolvers(),
  };
  try {
    for (let length = 0; ; length += 1) {
      const outcome = await replayOnce(loop, host, throughJson('run', run), history, length);
      if (outcome) return outcome;
      while (history.finished.length === length) await history.next.promise;
    }
  } catch (error) {
    await host.fail(run, host.describe(error));
    return host.end(run);
  }
}

/**
 * Plays the first operations of the history, as many as `length` says, and begins what the loop asks for beyond it. Null:
 * the loop waits, and is left behind.
 */
async function replayOnce(
  loop: typeof runSession,
  host: Host,
  run: LoopRun,
  history: History,
  length: number,
): Promise<LoopOutcome | null> {
  const player = new Player(history);
  let outcome: LoopOutcome | null = null;
  let failure: { readonly error: unknown } | null = null;
  loop(replaying(host, player), run).then(
    (ended) => (outcome = ended),
    (error: unknown) => (failure = { error }),
  );
  await rest();
  for (const finished of history.finished.slice(0, length)) {
    player.tell(finished);
    await rest();
  }
  player.isLive = true;
  if (failure) throw (failure as { readonly error: unknown }).error;
  if (outcome) player.checkAllAsked();
  return outcome;
}

/** One run of the loop over a history. */
class Player {
  /** Everything recorded has been played. */
  isLive = false;
  readonly #history: History;
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #asked = 0;

  constructor(history: History) {
    this.#history = history;
  }

  /** Performs what is asked for the first time. The loop hears of the result when the history is played again. */
  play<T>(name: string, args: readonly unknown[], perform: () => Promise<T>): Promise<T> {
    const place = this.#ask(name, args, (at) => this.#perform(name, at, perform));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(place, (outcome) => {
        if (outcome.ok) resolve(structuredClone(outcome.result) as T);
        else reject(outcome.error as Error);
      });
    });
  }

  playTimer(host: Host, ms: number): ReturnType<Host['startTimer']> {
    const place = this.#asked;
    const fired = this.play('startTimer', [ms], () => {
      const timer = host.startTimer(ms);
      this.#history.cancels.set(place, () => timer.cancel());
      return timer.fired;
    });
    const cancel = (): void => {
      this.#ask('cancel', [place], () => this.#history.cancels.get(place)?.());
    };
    return { fired, cancel };
  }

  tell(finished: Finished): void {
    const { place, outcome } = finished;
    const before = (finished.askedBefore ??= this.#asked);
    if (this.#asked !== before) {
      const { asked } = this.#history;
      throw new Error(
        `Replay went another way: asked for ${this.#asked} operations before ${asked[place]} was done, not ${before}`,
      );
    }
    this.#waiting.get(place)?.(outcome);
  }

  checkAllAsked(): void {
    const { length } = this.#history.asked;
    if (this.#asked === length) return;
    throw new Error(`Replay ended after ${this.#asked} of ${length} operations`);
  }

  #ask(name: string, args: readonly unknown[], begin: (place: number) => void): number {
    const { asked } = this.#history;
    const call = `${name}(${JSON.stringify(args.map((value) => throughJson(name, value ?? null)))})`;
    const place = this.#asked;
    this.#asked += 1;
    const recorded = asked[place];
    if (recorded === undefined) {
      asked.push(call);
      begin(place);
    } else if (recorded !== call) {
      throw new Error(`Replay went another way: expected ${recorded}, got ${call}`);
    }
    return place;
  }

  #perform<T>(name: string, place: number, perform: () => Promise<T>): void {
    const done = (outcome: Outcome): void => {
      const { finished, next } = this.#history;
      finished.push({ place, outcome, askedBefore: null });
      this.#history.next = Promise.withResolvers();
      next.resolve();
    };
    perform()
      .then((result) => throughJson(`the result of ${name}`, result ?? null))
      .then(
        (result) => done({ ok: true, result }),
        (error: unknown) => done({ ok: false, error }),
      );
  }
}

/** Longer than any chain of promises in the loop. Not a timer: a simulated process has come to rest by then as well. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
}

function replaying(host: Host, player: Player): Host {
  return {
    begin: (run) => player.play('begin', [run], () => host.begin(run)),
    settle: (run) => player.play('settle', [run], () => host.settle(run)),
    think: (run) => player.play('think', [run], () => host.think(run)),
    tool: (run, call) => player.play('tool', [run, call], () => host.tool(run, call)),
    startChild: (run, index) =>
      player.play('startChild', [run, index], () => host.startChild(run, index)),
    collectChild: (run, index) =>
      player.play('collectChild', [run, index], () => host.collectChild(run, index)),
    giveUpChild: (run, index, reason, detail) =>
      player.play('giveUpChild', [run, index, reason, detail], () =>
        host.giveUpChild(run, index, reason, detail),
      ),
    fail: (run, failure) => player.play('fail', [run, failure], () => host.fail(run, failure)),
    handover: (run) => player.play('handover', [run], () => host.handover(run)),
    end: (run) => player.play('end', [run], () => host.end(run)),
    runChild: (run, index, child) =>
      player.play('runChild', [run, index, child], () => host.runChild(run, index, child)),
    pause: (run) => player.play('pause', [run], () => host.pause(run)),
    startTimer: (ms) => player.playTimer(host, ms),
    shouldYield: (run) => player.play('shouldYield', [run], () => host.shouldYield(run)),
    describe: (error) => host.describe(error),
    warn: (event, run, error) => {
      if (player.isLive) host.warn(event, run, error);
    },
  };
}
