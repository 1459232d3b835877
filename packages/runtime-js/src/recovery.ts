import {
  claimResume,
  sweep,
  type EngineContext,
  type SessionIndex,
  type SessionRow,
} from '@helix-agents/core';
import type { LocalRuns } from './local-runs.ts';

const PAGE = 100;
const AT_ONCE = 4;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

export interface SweepSummary {
  readonly expired: number;
  readonly closed: number;
  readonly purged: number;
  /** Dead runs that this process took over. */
  readonly recovered: number;
}

/** Finds runs whose owner died and goes on with them, without standing in anybody's way. */
export class Recovery {
  readonly #ctx: EngineContext;
  readonly #index: SessionIndex;
  readonly #runs: LocalRuns;
  #inFlight: Promise<void> | null = null;

  constructor(ctx: EngineContext, index: SessionIndex, runs: LocalRuns) {
    this.#ctx = ctx;
    this.#index = index;
    this.#runs = runs;
  }

  /** Single flight: whoever asks while a pass is under way gets that pass. Never rejects. */
  recover(): Promise<void> {
    this.#inFlight ??= this.sweep()
      .then(() => undefined)
      .catch((error: unknown) =>
        this.#ctx.logger.error('recovery.failed', { error: String(error) }),
      )
      .finally(() => {
        this.#inFlight = null;
      });
    return this.#inFlight;
  }

  async sweep(): Promise<SweepSummary> {
    const report = await sweep(this.#ctx, this.#index, PAGE);
    const waiting = report.dead.filter((session) => this.#isDue(session));
    let recovered = 0;
    const worker = async (): Promise<void> => {
      for (let session = waiting.shift(); session; session = waiting.shift()) {
        if (await this.#takeUp(session)) recovered += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const { expired, closed, purged } = report;
    return { expired, closed, purged, recovered };
  }

  /** Each death makes the next attempt wait longer, so that a run that kills its process does not starve others. */
  #isDue(session: SessionRow): boolean {
    if (session.recoveries === 0 || session.leaseUntil === null) return true;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** session.recoveries, MAX_BACKOFF_MS);
    return session.leaseUntil + backoff <= this.#ctx.clock.now();
  }

  async #takeUp(session: SessionRow): Promise<boolean> {
    try {
      if (!this.#ctx.findAgent(session)) {
        const { sessionId, agentType } = session;
        this.#ctx.logger.warn('recovery.agent_unknown', { sessionId, agentType });
        return false;
      }
      const run = await claimResume(this.#ctx, session);
      if (!run) return false;
      await this.#runs.start(run);
      return true;
    } catch (error) {
      this.#ctx.logger.error('recovery.item_failed', {
        sessionId: session.sessionId,
        error: String(error),
      });
      return false;
    }
  }
}
