export { runSession } from './loop/run-session.ts';
export { LOOP_VERSION } from './loop/host.ts';
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
} from './loop/host.ts';
