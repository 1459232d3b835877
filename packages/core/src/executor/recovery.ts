import { takeOver } from '../engine/operations/claim.ts';
import { sleep } from '../engine/operations/clock.ts';
import type { EngineContext } from '../engine/operations/context.ts';
import { ownerMayBeDead } from '../engine/operations/step-view.ts';
import { sweep } from '../engine/operations/sweep.ts';
import { AgentAlreadyRunningError } from '../errors/session-errors.ts';
import type { SessionRow } from '../store/rows.ts';
import type { SessionIndex } from '../store/session-store.ts';
import { eachAtOnce } from '../util/each-at-once.ts';
import type { RunStarter } from './session-client.ts';
import { SetAside } from './set-aside.ts';

const PAGE = 100;
const AT_ONCE = 4;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

export interface SuperviseOptions {
  /** Milliseconds between two sweeps. Default 10,000. */
  readonly everyMs?: number;
  /** Resume sessions whose calls are all answered or expired. Default false. */
  readonly autoResume?: boolean;
}

export interface SweepSummary {
  readonly expired: number;
  readonly reminded: number;
  readonly closed: number;
  readonly purged: number;
  /** Dead runs that this process took over. */
  readonly recovered: number;
  /** Suspended sessions whose calls are all answered. One that stays so is listed again after a pause, each time a longer one. */
  readonly answered: readonly string[];
  /** More may be due: sweep again. */
  readonly more: boolean;
}

/** Finds runs whose owner died and goes on with them, without standing in anybody's way. */
export class Recovery {
  readonly #ctx: EngineContext;
  readonly #index: SessionIndex;
  readonly #runs: RunStarter;
  readonly #aside = new SetAside();
  #inFlight: Promise<void> | null = null;

  constructor(ctx: EngineContext, index: SessionIndex, runs: RunStarter) {
    this.#ctx = ctx;
    this.#index = index;
    this.#runs = runs;
  }

  /** Single flight: whoever asks while a pass is under way gets that pass. Never rejects. */
  recover(): Promise<void> {
    this.#inFlight ??= this.#sweepAll()
      .catch((error: unknown) =>
        this.#ctx.logger.error('recovery.failed', { error: String(error) }),
      )
      .finally(() => {
        this.#inFlight = null;
      });
    return this.#inFlight;
  }

  /** What is found and not done is set aside: the next sweep looks at what comes after it. */
  async sweep(): Promise<SweepSummary> {
    const { clock } = this.#ctx;
    const page = { limit: PAGE, except: this.#aside.at(clock.now()) };
    const lost = (await this.#runs.findLost?.(this.#index, page)) ?? [];
    let recovered = 0;
    const takeUp = (dead: readonly SessionRow[]): Promise<void> =>
      eachAtOnce(AT_ONCE, [...dead, ...lost], async (session) => {
        if (this.#isDue(session) && (await this.#takeUp(session))) recovered += 1;
        else this.#aside.add(session.sessionId, session.version, clock.now());
      });
    const report = await sweep(this.#ctx, this.#index, page, takeUp);
    const { expired, reminded, closed, purged } = report;
    for (const rootId of report.failed) this.#aside.add(rootId, 0, clock.now());
    // Whoever resumes them may fail to.
    for (const { sessionId, version } of report.answered)
      this.#aside.add(sessionId, version, clock.now());
    const answered = report.answered.map((session) => session.sessionId);
    const more = report.more || lost.length >= PAGE;
    return { expired, reminded, closed, purged, recovered, answered, more };
  }

  async #sweepAll(): Promise<void> {
    while ((await this.sweep()).more);
  }

  /** One sweep after the other; a failed one is logged and the next comes at its time. */
  supervise(
    options: SuperviseOptions,
    resume: (sessionId: string) => Promise<void>,
  ): () => Promise<void> {
    const { everyMs = 10_000, autoResume = false } = options;
    const stopped = new AbortController();
    const loop = async (): Promise<void> => {
      while (!stopped.signal.aborted) {
        const more = await this.#supervisedSweep(autoResume ? resume : null);
        if (!more) await sleep(this.#ctx.clock, everyMs, stopped.signal);
      }
    };
    const done = loop();
    return async () => {
      stopped.abort();
      await done;
    };
  }

  async #supervisedSweep(resume: ((sessionId: string) => Promise<void>) | null): Promise<boolean> {
    try {
      const summary = await this.sweep();
      for (const sessionId of resume ? summary.answered : [])
        await resume?.(sessionId).catch(this.#notResumed(sessionId));
      return summary.more;
    } catch (error) {
      this.#ctx.logger.error('supervise.sweep_failed', { error: String(error) });
      return false;
    }
  }

  /** Somebody else was first, or its agent is unknown here: neither is this supervisor's business. */
  #notResumed(sessionId: string): (error: unknown) => void {
    return (error) =>
      this.#ctx.logger.info('supervise.not_resumed', { sessionId, error: String(error) });
  }

  /**
   * Each death makes the next attempt wait longer, so that a run that kills its process does not starve others. Its lease is on
   * the clock of the store; where that is ahead, what counts is how long this process has known of it.
   */
  #isDue({ sessionId, recoveries, leaseUntil, version }: SessionRow): boolean {
    if (recoveries === 0 || leaseUntil === null) return true;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** recoveries, MAX_BACKOFF_MS);
    const now = this.#ctx.clock.now();
    const known = this.#aside.since(sessionId, version) ?? now;
    return Math.min(leaseUntil, known) + backoff <= now;
  }

  async #takeUp(found: SessionRow): Promise<boolean> {
    const { sessionId, agentType } = found;
    try {
      const session = (await this.#runs.judge?.(found)) ?? found;
      if (!ownerMayBeDead(session)) return false;
      const agent = this.#ctx.findAgent(session);
      if (!agent) {
        this.#ctx.logger.warn('recovery.agent_unknown', { sessionId, agentType });
        return false;
      }
      const run = await takeOver(this.#ctx, session);
      if (!run) return false;
      this.#ctx.agents.keep(run, { agent, isGiven: false });
      await this.#runs.start(run);
      return true;
    } catch (error) {
      // By the clock of the store its owner is alive.
      if (AgentAlreadyRunningError.isInstance(error)) return false;
      this.#ctx.logger.error('recovery.item_failed', {
        sessionId,
        error: String(error),
      });
      return false;
    }
  }
}
