/** For authors of runtimes: the loop and what a host of it needs. */
export * from './loop.ts';
export { AgentDirectory } from './client/agent-directory.ts';
export { createEngineContext } from './client/engine-context.ts';
export type { HostTraits } from './client/engine-context.ts';
export type { ExecutorHost, HostedRuns } from './client/hosted-runs.ts';
export { checkExecutorOptions } from './client/options.ts';
export type {
  EngineSeams,
  ExecutorOptions,
  ExecutorParts,
  HostSeams,
  OperationSeams,
} from './client/options.ts';
export { checkBag } from './client/option-bags.ts';
export { checkEvery } from './client/recovery.ts';
export type { RunStarter } from './client/run-starter.ts';
export { SessionExecutor } from './client/session-executor.ts';
export { sweepAll } from './client/sweep-all.ts';
export type { SweepTotals, Sweeper } from './client/sweep-all.ts';
export { systemClock } from './host/system-clock.ts';
export { checkNode } from './errors/check-node.ts';
export type { HookRow } from './define/hooks.ts';
export { refuseUnknownOptions } from './define/refuse-unknown.ts';
export type { OptionNames } from './define/refuse-unknown.ts';
export { findUnknownKey, unknownKeyText } from './util/known-keys.ts';
export type { KnownKeys, OtherNames, UnknownKey } from './util/known-keys.ts';
export { collectAgents } from './define/resolve-agent.ts';
export { readSubmitLimits } from './define/submit-schema.ts';
export { MESSAGE_MARKERS, SESSION_MARKERS } from './messages/markers.ts';
export { createAnnouncer } from './engine/announce/announcer.ts';
export type { StreamState } from './engine/announce/stream-status.ts';
export { sleep } from './engine/clock.ts';
export { DEFAULT_LIMITS } from './engine/context.ts';
export type { Databases, EngineContext, OperationScope } from './engine/context.ts';
export { assertSmall, fittingCalls } from './engine/loop-payload.ts';
export { StepMemory } from './engine/memory/step-memory.ts';
export type { EndedRun } from './engine/memory/step-memory.ts';
export { race } from './engine/race.ts';
export type { Raced, RaceLimits } from './engine/race.ts';
export { createEngineOperations } from './host/engine-operations.ts';
export type { EngineOperations, EngineOperationsOptions } from './host/engine-operations.ts';
export { EngineRuns } from './host/engine-runs.ts';
export type { RunEngine } from './host/engine-runs.ts';
export { driveRun } from './host/local-host.ts';
export type { DrivenRun, LocalDriver } from './host/local-host.ts';
export { LocalRuns } from './host/local-runs.ts';
export { createOperations } from './host/operations.ts';
export type { Operations } from './host/operations.ts';
export { watchOperation, watchRun } from './host/watch-run.ts';
export type { OuterScope, RunWatch } from './host/watch-run.ts';
export { isStoreOutage } from './errors/store-outage.ts';
export { findTranscriptFault } from './llm/transcript.ts';
