import type { EngineContext, RunAgent } from '../engine/context.ts';
import type { LoopRun } from '../loop/host.ts';
import type { RunRow, SessionRow } from '../store/rows.ts';

/** How a host brings a claimed run to life. */
export interface RunStarter {
  /** Throws when the host begins no more runs. Asked before anything is read or written for one. */
  assertOpen(): void;
  /** Called after the claim is committed. Returns when the host has taken the run. */
  start(run: LoopRun): Promise<void>;
  /** Drives a dead owner's run to its end; used before a message is added on top of it. */
  driveToEnd(run: LoopRun): Promise<void>;
  /**
   * The row of a running session as it should be read. Where an engine keeps runs alive, it says whether the owner is
   * dead (`EngineRuns`); elsewhere the row says it itself.
   */
  checkLiveness(session: SessionRow): Promise<SessionRow>;
}

/** What the commands of an executor work with. */
export interface ClientParts {
  readonly ctx: EngineContext;
  readonly starter: RunStarter;
}

/** A run that was claimed and started, or found running. */
export interface StartedRun {
  readonly run: LoopRun;
  /** Its record, where this process has just begun it. */
  readonly record?: RunRow | undefined;
}

/** After a claim: the host takes the run. */
export async function startRun(
  { ctx, starter }: ClientParts,
  run: LoopRun,
  agent: RunAgent,
): Promise<StartedRun> {
  ctx.agents.bindRun(run, agent);
  // Read first: a run that has ended is forgotten.
  const record = ctx.memory?.record(run) ?? undefined;
  await starter.start(run);
  return { run, record };
}

/** The row as it should be read: a running one may be dead. One that was created by hand has no owner. */
export async function checkLiveness(
  { starter }: ClientParts,
  session: SessionRow,
): Promise<SessionRow> {
  const mayBeDead = session.status === 'running' && session.turn > 0;
  return mayBeDead ? starter.checkLiveness(session) : session;
}
