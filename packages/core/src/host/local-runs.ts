/**
 * The runs of a host that drives them in its own process.
 *
 * Owns: which runs these are, how they are stopped when the process shuts down, what whoever waits for one is told.
 * Does not own: how one run is driven (`local-host.ts`).
 */
import type { HostedRuns } from '../client/hosted-runs.ts';
import type { HostSeams } from '../client/options.ts';
import type { EngineContext } from '../engine/context.ts';
import type { EndedRun } from '../engine/memory/step-memory.ts';
import { race } from '../engine/race.ts';
import { HelixError } from '../errors/helix-error.ts';
import { isStoreOutage } from '../errors/store-outage.ts';
import type { LoopRun } from '../loop/host.ts';
import { runSession } from '../loop/run-session.ts';
import type { SessionRow } from '../store/rows.ts';
import { driveRun, type DrivenRun, type LocalDriver } from './local-host.ts';
import { createOperations } from './operations.ts';
import { watchRun, type RunWatch } from './watch-run.ts';

const ATTEMPTS = 4;
/** How long runs that were cut may take to write that they are given back. */
const GIVE_BACK_MS = 5_000;

/** The runs this process drives: starts them, stops them, knows which they are. */
export class LocalRuns implements HostedRuns {
  readonly #ctx: EngineContext;
  readonly #driver: LocalDriver;
  readonly #watches = new Map<string, { run: LoopRun; watch: RunWatch }>();
  /** By run. Handles share the promise: each adds nothing that stays until the run ends. */
  readonly #roots = new Map<string, Promise<EndedRun | null>>();
  /** Those that a shutdown has waited for in vain. */
  readonly #left = new Set<string>();
  #yielding = false;

  constructor(ctx: EngineContext, seams: HostSeams = {}) {
    this.#ctx = ctx;
    this.#driver = {
      ctx,
      operations: createOperations(ctx, seams.wrapOperations),
      runLoop: seams.runLoop ?? runSession,
      attempts: seams.attempts ?? ATTEMPTS,
      shouldYield: () => this.#yielding,
      notify: (sessionId) => this.notify(sessionId),
      open: (run) => this.#open(run),
      close: (run, watch) => this.#close(run, watch),
    };
  }

  assertOpen(): void {
    if (!this.#yielding) return;
    throw new HelixError({
      code: 'run_handed_over',
      message: 'This process is shutting down and begins no runs; another one has to.',
      statusCode: 503,
    });
  }

  async start(run: LoopRun): Promise<void> {
    void this.#drive(run);
  }

  async driveToEnd(run: LoopRun): Promise<void> {
    await this.#drive(run);
  }

  #drive(run: LoopRun): Promise<EndedRun | null> {
    const outcome = driveRun(this.#driver, run).finally(() => {
      this.#roots.delete(key(run));
      this.#ctx.agents.forget(run);
    });
    const ended = outcome.then(unlessGivenBack, unlessOutage);
    // Reported by whoever waits for the result; nobody has to.
    ended.catch(() => undefined);
    this.#roots.set(key(run), ended);
    outcome.catch((error: unknown) => {
      this.#ctx.logger.error('run.died', { ...run, error: String(error) });
    });
    return ended;
  }

  local(run: LoopRun): Promise<EndedRun | null> | null {
    return this.#roots.get(key(run)) ?? null;
  }

  /** Leases are in the rows. */
  async checkLiveness(session: SessionRow): Promise<SessionRow> {
    return session;
  }

  /** Whoever waits looks at the store. */
  async untilEnd(): Promise<void> {}

  isDriving(sessionId: string, epoch: number): boolean {
    return this.#watches.get(sessionId)?.run.epoch === epoch;
  }

  notify(sessionId: string): void {
    this.#watches.get(sessionId)?.watch.check();
  }

  /**
   * Gives every run back at its next boundary; after `graceMs` running tools and model calls are cut. A run that cannot
   * write that it is given back is left to its lease.
   */
  async shutdown(graceMs: number): Promise<void> {
    this.#yielding = true;
    const { clock } = this.#ctx;
    const cancelCut = clock.setTimer(graceMs, () => {
      for (const { watch } of this.#watches.values()) watch.stop('shutdown');
    });
    const roots = [...this.#roots].filter(([root]) => !this.#left.has(root));
    const ended = Promise.allSettled(roots.map(([, outcome]) => outcome));
    await race(clock, () => ended, { ms: graceMs + GIVE_BACK_MS });
    cancelCut();
    for (const [root] of roots) {
      if (!this.#roots.has(root)) continue;
      this.#left.add(root);
      this.#ctx.logger.warn('shutdown.run_left', { sessionId: root.slice(root.indexOf(':') + 1) });
    }
  }

  #open(run: LoopRun): RunWatch {
    const watch = watchRun(this.#ctx, run);
    this.#watches.set(run.sessionId, { run, watch });
    return watch;
  }

  #close(run: LoopRun, watch: RunWatch): void {
    watch.close();
    if (this.#watches.get(run.sessionId)?.watch === watch) this.#watches.delete(run.sessionId);
  }
}

function key(run: LoopRun): string {
  return `${run.epoch}:${run.sessionId}`;
}

function unlessGivenBack({ outcome, ended }: DrivenRun): EndedRun | null {
  if (outcome.status !== 'handover') return ended;
  throw new HelixError({
    code: 'run_handed_over',
    message:
      'This process is shutting down and gave the run back; another one goes on with it after resume or recovery.',
  });
}

/** Another owner goes on with it when the store works again: what becomes of it is in the store. */
function unlessOutage(error: unknown): null {
  if (isStoreOutage(error)) return null;
  throw error;
}
