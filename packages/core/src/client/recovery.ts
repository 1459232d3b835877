import { takeOver } from '../engine/claim/resume.ts';
import { DONE, sleep } from '../engine/clock.ts';
import type { EngineContext } from '../engine/context.ts';
import { findSilent } from '../host/engine-liveness.ts';
import { ownerMayBeDead } from '../engine/rows/session-status.ts';
import { sweep } from '../engine/human/sweep.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';
import { AgentAlreadyRunningError } from '../errors/session-errors.ts';
import type { SessionRow } from '../store/rows.ts';
import type { SessionIndex } from '../store/session-store.ts';
import { eachAtOnce } from '../util/each-at-once.ts';
import type { RunStarter } from './run-starter.ts';
import { Backoff } from './backoff.ts';

const PAGE = 100;
const AT_ONCE = 4;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
const LONGEST_TIMER_MS = 2_147_483_647;

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

export interface RecoverOptions {
  /** Resume sessions whose calls are all answered or expired. Default false. */
  readonly autoResume?: boolean;
}

type Resume = (sessionId: string) => Promise<void>;

/** Finds runs whose owner died and goes on with them, without standing in anybody's way. */
export class Recovery {
  readonly #ctx: EngineContext;
  readonly #index: SessionIndex;
  readonly #runs: RunStarter;
  readonly #resume: Resume;
  /** What this process cannot do. */
  readonly #backoff = new Backoff();
  /** What was told to the caller of `sweep`, and what `recover` tried: one who acts on answers keeps its own. */
  readonly #told = new Backoff();
  readonly #tried = new Backoff();
  readonly #loops = new Set<() => Promise<void>>();
  #inFlight: Promise<void> | null = null;
  #stopped = new AbortController();

  constructor(ctx: EngineContext, index: SessionIndex, runs: RunStarter, resume: Resume) {
    this.#ctx = ctx;
    this.#index = index;
    this.#runs = runs;
    this.#resume = resume;
  }

  /** Single flight: a caller that asks while a pass is under way gets that pass. Never rejects. */
  recover({ autoResume = false }: RecoverOptions = {}): Promise<void> {
    this.#inFlight ??= this.#sweepAll(autoResume, this.#stopped.signal)
      .catch((error: unknown) =>
        this.#ctx.logger.error('recovery.failed', { error: String(error) }),
      )
      .finally(() => {
        this.#inFlight = null;
      });
    return this.#inFlight;
  }

  sweep(): Promise<SweepSummary> {
    return this.#pass(this.#told, this.#stopped.signal);
  }

  /**
   * What is found and not done is set aside: the next pass looks at what comes after it. So is what is answered, by who
   * acts on it, as a process that resumes may fail to; null where nobody does. Once it is stopped nothing more is taken up.
   */
  async #pass(acting: Backoff | null, stopped: AbortSignal): Promise<SweepSummary> {
    const { clock } = this.#ctx;
    const now = clock.now();
    const except = [...new Set([...this.#backoff.at(now), ...(acting?.at(now) ?? [])])];
    const page = { limit: PAGE, except };
    const silent = await findSilent(this.#ctx, this.#index, page);
    let recovered = 0;
    const takeUp = (dead: readonly SessionRow[]): Promise<void> =>
      eachAtOnce(AT_ONCE, [...dead, ...silent], async (session) => {
        if (stopped.aborted) return;
        if (this.#isDue(session) && (await this.#takeUp(session))) recovered += 1;
        else this.#backoff.add(session.sessionId, session.version, clock.now());
      });
    const report = await sweep(this.#ctx, this.#index, page, takeUp);
    const { expired, reminded, closed, purged } = report;
    for (const rootId of report.failed) this.#backoff.add(rootId, 0, clock.now());
    for (const { sessionId, version } of report.answered)
      acting?.add(sessionId, version, clock.now());
    const answered = report.answered.map((session) => session.sessionId);
    const more = report.more || silent.length >= PAGE || (acting !== null && report.moreAnswered);
    return { expired, reminded, closed, purged, recovered, answered, more };
  }

  async #sweepAll(autoResume: boolean, stopped: AbortSignal): Promise<void> {
    for (let more = true; more && !stopped.aborted;) {
      const summary = await this.#pass(autoResume ? this.#tried : null, stopped);
      if (autoResume) await this.#resumeAll(summary.answered, stopped);
      more = summary.more;
    }
  }

  /** One sweep after the other; a failed one is logged and the next comes at its time. */
  supervise({ everyMs = 10_000, autoResume = false }: SuperviseOptions): () => Promise<void> {
    checkEvery('everyMs', everyMs);
    const stopped = new AbortController();
    const acting = autoResume ? new Backoff() : null;
    const loop = async (): Promise<void> => {
      while (!stopped.signal.aborted) {
        const more = await this.#supervisedSweep(acting, stopped.signal);
        if (!more) await sleep(this.#ctx.clock, everyMs, stopped.signal);
      }
    };
    const done = loop();
    const stop = async (): Promise<void> => {
      this.#loops.delete(stop);
      stopped.abort();
      await done;
    };
    this.#loops.add(stop);
    return stop;
  }

  /** Ends every loop and the pass that is under way; waits for what they are just doing, but not longer than that. */
  async stop(withinMs: number): Promise<void> {
    this.#stopped.abort();
    this.#stopped = new AbortController();
    const ended = Promise.all([this.#inFlight, ...[...this.#loops].map((stop) => stop())]);
    const waited = new AbortController();
    await Promise.race([ended, sleep(this.#ctx.clock, withinMs, waited.signal)]);
    waited.abort(DONE);
  }

  async #supervisedSweep(acting: Backoff | null, stopped: AbortSignal): Promise<boolean> {
    try {
      const { answered, more } = await this.#pass(acting, stopped);
      if (acting) await this.#resumeAll(answered, stopped);
      return more;
    } catch (error) {
      this.#ctx.logger.error('supervise.sweep_failed', { error: String(error) });
      return false;
    }
  }

  async #resumeAll(sessionIds: readonly string[], stopped: AbortSignal): Promise<void> {
    for (const sessionId of sessionIds) {
      if (stopped.aborted) return;
      await this.#resume(sessionId).catch(this.#notResumed(sessionId));
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
    const known = this.#backoff.since(sessionId, version) ?? now;
    return Math.min(leaseUntil, known) + backoff <= now;
  }

  async #takeUp(found: SessionRow): Promise<boolean> {
    const { sessionId, agentType } = found;
    try {
      const session = await this.#runs.checkLiveness(found);
      if (!ownerMayBeDead(session)) return false;
      const agent = this.#ctx.agents.find(session);
      if (!agent) {
        this.#ctx.logger.warn('recovery.agent_unknown', { sessionId, agentType });
        return false;
      }
      const run = await takeOver(this.#ctx, session);
      if (!run) return false;
      this.#ctx.agents.bindRun(run, { agent, isGiven: false });
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

/** Milliseconds between two looks: anything else than a number that a timer takes would make it look without a pause. */
export function checkEvery(path: string, everyMs: number): void {
  if (everyMs > 0 && everyMs <= LONGEST_TIMER_MS) return;
  const message = `must be a number of milliseconds above 0 and at most ${LONGEST_TIMER_MS}, not ${everyMs}`;
  throw new InvalidRequestError([{ path, message }]);
}
