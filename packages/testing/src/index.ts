export type { TestCrashesOptions } from './crash/harness.ts';
export { testCrashes } from './crash/test-crashes.ts';
export { faultyStore, InjectedFaultError } from './world/fault-line.ts';
export type { StoreFault, StoreFaultHook } from './world/fault-line.ts';
export { testStoreProcesses } from './processes/test-store-processes.ts';
export type {
  SharedStoreUnderTest,
  TestStoreProcessesOptions,
} from './processes/test-store-processes.ts';
export { testClocksApart } from './golden/test-clocks-apart.ts';
export type { TestClocksApartOptions } from './golden/test-clocks-apart.ts';
export { testGolden } from './golden/test-golden.ts';
export type { TestGoldenOptions } from './golden/test-golden.ts';
export { testOperatorQueries } from './golden/test-operator-queries.ts';
export type { QueriedWorld, TestOperatorQueriesOptions } from './golden/test-operator-queries.ts';
export { manualClock } from './world/manual-clock.ts';
export type { ManualClock } from './world/manual-clock.ts';
export type {
  FullStateStore,
  StateStoreUnderTest,
  TestStateStoreOptions,
} from './state-store/harness.ts';
export { findStatusLogFault, moveStatusAtRandom } from './state-store/status-log.ts';
export type { StatusOperation } from './state-store/status-log.ts';
export { testStateStore } from './state-store/test-state-store.ts';
export type {
  SessionStoreUnderTest,
  StoreCapabilities,
  TestSessionStoreOptions,
} from './store/harness.ts';
export {
  callRow,
  checkpointRow,
  freshCommitId,
  messageRow,
  planFor,
  planRow,
  recordFor,
  referenceRow,
  refOf,
  resultRow,
  runRow,
  seed,
  sessionRow,
  settledCallRow,
  startRow,
  T0,
  usageRow,
} from './rows.ts';
export { testLockManager } from './store/test-lock-manager.ts';
export type { LockManagerUnderTest, TestLockManagerOptions } from './store/test-lock-manager.ts';
export { testServerKilled } from './store/test-server-killed.ts';
export { testServerRestarted } from './store/test-server-restarted.ts';
export type { MortalServer, TestServerKilledOptions } from './store/test-server-killed.ts';
export { testSessionStore } from './store/test-session-store.ts';
export { testUsageStore, usageEntry } from './store/test-usage-store.ts';
export type { TestUsageStoreOptions, UsageStoreUnderTest } from './store/test-usage-store.ts';
export type {
  StreamCapabilities,
  StreamManagerUnderTest,
  TestStreamManagerOptions,
} from './stream/harness.ts';
export { textChunk } from './stream/chunks.ts';
export { testStreamManager } from './stream/test-stream-manager.ts';
export type { TestRuntimeOptions } from './runtime/harness.ts';
export type { HostSeams } from '@helix-agents/core/host';
export { replayHost } from './runtime/replay-host.ts';
export { splitHost } from './runtime/split-host.ts';
export type { SplitDatabase, SplitHost, SplitHostOptions } from './runtime/split-host.ts';
export { testRuntime } from './runtime/test-runtime.ts';
export { checkHistory, HISTORY_RULES } from './history/check-history.ts';
export { hashHistory, observableHistory } from './history/normal-form.ts';
export type { Rule } from './history/support.ts';
export { FAULT_KINDS } from './history/types.ts';
export type {
  AgentFacts,
  ClientOperation,
  ClientOutcome,
  ClientRequest,
  DumpedSession,
  DumpedTree,
  Fault,
  FaultKind,
  History,
  Prompt,
  StoreDump,
  StoreWrite,
  StreamAppend,
  StreamDump,
  ToolFacts,
  ToolStart,
  Violation,
} from './history/types.ts';
export { describeFailure, runBatch, sampleSchedules } from './schedule/batch.ts';
export type { BatchFailure, BatchOptions, BatchResult } from './schedule/batch.ts';
export { scheduleArbitrary } from './schedule/commands.ts';
export type { Command, Disturbance, Request, Schedule } from './schedule/commands.ts';
export { coverageGaps, emptyCoverage, mergeCoverage } from './schedule/coverage.ts';
export type { Coverage } from './schedule/coverage.ts';
export { runSchedule } from './schedule/run-schedule.ts';
export { testSchedules } from './schedule/test-schedules.ts';
export type { ServedWorlds, TestSchedulesOptions } from './schedule/test-schedules.ts';
export type { RunOptions } from './schedule/run-schedule.ts';
export { expectNoMoreWrites, type MigratedStore } from './store/newer-schema.ts';
export { intercept, wrapDatabases } from './world/fault-line.ts';
export type { InterceptedCall } from './world/fault-line.ts';
export type { ProcessLife } from './world/process-life.ts';
export type {
  ExecutorParts,
  ExecutorUnderTest,
  OpenTestWorld,
  TestWorld,
  TestWorldOptions,
} from './world/test-world.ts';
