import type { EngineContext } from '../engine/context.ts';
import type { EndedRun } from '../engine/memory/step-memory.ts';
import type { LoopRun } from '../loop/host.ts';
import type { AgentDirectory } from './agent-directory.ts';
import type { HostTraits } from './engine-context.ts';
import type { RunStarter } from './run-starter.ts';

/** The runs of a host, as an executor sees them. */
export interface HostedRuns extends RunStarter {
  /**
   * Resolves when this process no longer drives the run, to the run as its last commit here left it; null when it does
   * not. Asked when a handle is made: the same promise each time, which nobody has to wait for.
   */
  local(run: LoopRun): Promise<EndedRun | null> | null;
  /**
   * Resolves when the run has ended, where the host can tell better than by looking at the store again and again; else
   * at once. Asked when somebody waits for the result of a run that this process does not drive.
   */
  untilEnd(run: LoopRun): Promise<void>;
  /** Makes the run of that session look at the store now, if the host can reach it. */
  notify(sessionId: string): void;
  /** Whether this process drives that run of that session right now; never where an engine does. */
  readonly isDriving: EngineContext['isDriving'];
}

export interface ExecutorHost<Runs extends HostedRuns> extends Omit<HostTraits, 'isDriving'> {
  createRuns(ctx: EngineContext): Runs;
  /** Hooks of one `execute` call live in its process; true where runs take place elsewhere. */
  readonly runsElsewhere?: boolean;
  /** Shared with what runs operations in this process. */
  readonly directory?: AgentDirectory | undefined;
}
