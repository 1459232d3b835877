export { runSession } from './engine/loop/run-session.ts';
export { LOOP_VERSION } from './engine/loop/host.ts';
export type {
  Done,
  Host,
  LoopRun,
  PlanEntry,
  Refusal,
  RunOutcome,
  RunOutcomeStatus,
  SettleResult,
  ThinkResult,
} from './engine/loop/host.ts';
