import { LOOP_VERSION, type LoopRun } from '../../loop/host.ts';
import type { SessionRow } from '../../store/rows.ts';

/** The run a session row names. `isTakeover`: another owner had begun it. */
export function loopRun(session: SessionRow, isTakeover = false): LoopRun {
  return {
    rootId: session.rootId,
    sessionId: session.sessionId,
    runId: session.runId,
    epoch: session.epoch,
    agentType: session.agentType,
    loopVersion: LOOP_VERSION,
    ...(isTakeover ? { isTakeover } : {}),
  };
}
