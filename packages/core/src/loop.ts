export { runSession } from './loop/run-session.ts';
export { LOOP_VERSION } from './loop/host.ts';
export type {
  ChildEnd,
  Done,
  GiveUpReason,
  Host,
  LoopOperations,
  LoopOutcome,
  LoopOutcomeStatus,
  LoopRun,
  LoopTimer,
  PlanEntry,
  Refusal,
  RunFailure,
  SettleResult,
  StartedChild,
  ThinkResult,
} from './loop/host.ts';
