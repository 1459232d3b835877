/**
 * The runs of a host whose engine keeps them alive, wherever they take place.
 *
 * Owns: what an executor asks about such runs, and what it makes of an engine that cannot be asked.
 * Does not own: how the engine is asked (the runtime).
 */
import type { HostedRuns } from '../client/hosted-runs.ts';
import { DONE, sleep } from '../engine/clock.ts';
import type { EngineContext } from '../engine/context.ts';
import { systemClock } from './system-clock.ts';
import { errorMessage, HelixError } from '../errors/helix-error.ts';
import { isStoreOutage } from '../errors/store-outage.ts';
import type { LoopRun } from '../loop/host.ts';
import type { SessionRow } from '../store/rows.ts';
import { checkEngineRun, type IsRunAlive } from './engine-liveness.ts';

/** An engine that keeps runs alive, as a runtime connects it. */
export interface RunEngine {
  /** What errors and log lines call it. */
  readonly name: string;
  /** Returns when the engine has the run. A second start of the same run finds the first. */
  start(run: LoopRun): Promise<void>;
  /** Settles when the engine says that the run has ended, in whatever way. `over`: nobody waits any more. */
  untilEnd(run: LoopRun, over: AbortSignal): Promise<unknown>;
  /** Throws when the engine cannot be asked. */
  readonly isAlive: IsRunAlive;
}

/** Starts claimed runs in the engine, and knows from it which of them are alive. */
export class EngineRuns implements HostedRuns {
  readonly #ctx: EngineContext;
  readonly #engine: RunEngine;

  constructor(ctx: EngineContext, engine: RunEngine) {
    this.#ctx = ctx;
    this.#engine = engine;
  }

  async start(run: LoopRun): Promise<void> {
    const { name } = this.#engine;
    try {
      await this.#engine.start(run);
    } catch (error) {
      throw new HelixError({
        code: 'run_not_started',
        message: `Session ${run.sessionId} is claimed, but ${name} did not start its run: ${errorMessage(error)}. Resume it, or let a sweep, when ${name} is reachable.`,
        cause: error,
      });
    }
  }

  async driveToEnd(run: LoopRun): Promise<void> {
    await this.start(run);
    await this.untilEnd(run);
  }

  untilEnd(run: LoopRun): Promise<void> {
    return untilRunEnds(this.#ctx, run, (over) => this.#engine.untilEnd(run, over));
  }

  checkLiveness(session: SessionRow): Promise<SessionRow> {
    return checkEngineRun(this.#ctx, session, (row) => this.#isAlive(row));
  }

  /** An engine that cannot be asked says nothing against its runs. */
  async #isAlive(session: SessionRow): Promise<boolean> {
    try {
      return await this.#engine.isAlive(session);
    } catch (error) {
      this.#ctx.logger.warn('engine.ask_failed', {
        sessionId: session.sessionId,
        engine: this.#engine.name,
        error: String(error),
      });
      return true;
    }
  }

  /** The engine drives them all. */
  readonly local = (): null => null;
  readonly isDriving = (): boolean => false;

  /** Operations look at the store by themselves. */
  notify(): void {}

  /** Workers of the engine begin and stop by themselves. */
  assertOpen(): void {}
}

/** How long a run that has ended in the store may take to say so. */
const FAREWELL_MS = 5_000;

/**
 * For a run that an engine keeps alive: resolves when the engine says that it has ended, or when the store has said so for
 * a while, which is how a run that was ended from outside ends while nobody is there to notice. In real time.
 */
function untilRunEnds(
  ctx: EngineContext,
  run: LoopRun,
  engineSaysSo: (over: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  // However it ended: what became of the run is in the store.
  const ended = engineSaysSo(over.signal).then(
    () => undefined,
    () => undefined,
  );
  return Promise.race([ended, untilStoreSaysSo(ctx, run, over.signal)]).finally(() =>
    over.abort(DONE),
  );
}

async function untilStoreSaysSo(
  ctx: EngineContext,
  run: LoopRun,
  over: AbortSignal,
): Promise<void> {
  const store = ctx.databases.of(run);
  while (!over.aborted) {
    const isOver = await store
      .readSession(run)
      .then(
        (session) => session?.runId !== run.runId || session.status !== 'running',
        unlessOutage,
      );
    await sleep(systemClock, isOver ? FAREWELL_MS : FAREWELL_MS / 5, over);
    if (isOver) return;
  }
}

/** A store that does not work for now says nothing about the run. */
function unlessOutage(error: unknown): false {
  if (isStoreOutage(error)) return false;
  throw error;
}
