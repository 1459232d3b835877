export { AgentRegistry, defaultAgentRegistry } from './define/agent-registry.ts';
export type { AgentFactory, AgentFactoryContext } from './define/agent-registry.ts';
export {
  DEFAULT_APPROVAL_TIMEOUT_MS,
  DEFAULT_CLIENT_TOOL_TIMEOUT_MS,
  DEFAULT_MAX_STEPS,
  DEFAULT_TOMBSTONE_RETENTION_MS,
} from './define/defaults.ts';
export { defineAgent } from './define/define-agent.ts';
export type { AgentDefinition } from './define/define-agent.ts';
export { defineTool } from './define/define-tool.ts';
export type { ToolDefinition } from './define/define-tool.ts';
export { buildEffectiveTools, toLLMTool } from './define/effective-tools.ts';
export { FINISH_TOOL_NAME } from './define/finish-tool.ts';
export { initialState } from './define/initial-state.ts';
export { toJsonSchema } from './define/json-schema.ts';
export { parseWith } from './define/parse-with.ts';
export type { ParseResult } from './define/parse-with.ts';
export { RESERVED_TOOL_NAME_PREFIXES, RESERVED_TOOL_NAMES } from './define/reserved-names.ts';
export { collectAgents, resolveAgent } from './define/resolve-agent.ts';
export type { AgentRegistryLike } from './define/resolve-agent.ts';
export {
  createSubAgentTool,
  isSubAgentTool,
  SUBAGENT_TOOL_PREFIX,
} from './define/sub-agent-tool.ts';
export {
  createSubmitToolResultSchema,
  DEFAULT_SUBMIT_MAX_RESULT_BYTES,
  readSubmitLimits,
  SUBMIT_SCHEMA_LIMITS,
  SubmitToolResultSchema,
} from './define/submit-schema.ts';
export type {
  SubmitSchemaLimits,
  SubmitToolResult,
  SubmitToolResultInput,
} from './define/submit-schema.ts';
export type {
  AgentConfig,
  ApprovalContext,
  Durability,
  InferAgentOutput,
  InferAgentState,
  InferSchema,
  InferSchemaInput,
  InferToolInput,
  InferToolOutput,
  RequireApproval,
  Schema,
  ToJsonSchema,
  Tool,
  ToolContext,
} from './define/types.ts';
export { HelixPayloadTooLargeError, HelixStreamError } from './errors/client-errors.ts';
export { humanizeClientToolError } from './errors/client-tool-errors.ts';
export {
  CLIENT_TOOL_ERROR_CODES,
  isClientToolErrorCode,
  isKnownErrorCode,
  KNOWN_ERROR_CODES,
} from './errors/codes.ts';
export type { ClientToolErrorCode, ErrorCode } from './errors/codes.ts';
export { errorMessage, HelixError, toHelixError } from './errors/helix-error.ts';
export type { HelixErrorOptions } from './errors/helix-error.ts';
export type { Issue } from './errors/issue.ts';
export {
  InvalidRequestError,
  InvalidResultError,
  NotRootSessionError,
} from './errors/request-errors.ts';
export {
  AgentAlreadyRunningError,
  NotResumableError,
  SessionExistsError,
  SessionNotFoundError,
  SessionSuspendedError,
  StaleStateError,
  StateViewReadonlyError,
  StreamNotActiveError,
} from './errors/session-errors.ts';
export {
  AgentNotFoundError,
  DefinitionError,
  StoreSchemaError,
  StoreUnavailableError,
} from './errors/setup-errors.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type {
  LLMAdapter,
  LLMCallbacks,
  LLMConfig,
  LLMGenerateInput,
  LLMTool,
  LLMToolCall,
  StepResult,
  StopReason,
} from './llm/adapter.ts';
export { anthropicCache } from './llm/cache/anthropic-cache.ts';
export type { AnthropicCacheOptions } from './llm/cache/anthropic-cache.ts';
export { applyCacheStrategies } from './llm/cache/apply-cache-strategies.ts';
export type {
  AppliedCacheResult,
  CacheBreakpoint,
  CacheRequest,
  CacheStrategy,
} from './llm/cache/cache-strategy.ts';
export { functionModel } from './llm/function-model.ts';
export type { FunctionModel } from './llm/function-model.ts';
export { MockLLMAdapter, RoutingMockLLMAdapter } from './llm/mock-llm-adapter.ts';
export type { RecordedCall, ScriptedStep, ScriptOptions } from './llm/scripted-step.ts';
export { assertValidTranscript, findTranscriptFault } from './llm/transcript.ts';
export { consoleLogger, noopLogger, withContext } from './logger.ts';
export type { Logger, ObjectFirstLogger } from './logger.ts';
export {
  buildMessagesForLLM,
  createAssistantMessage,
  createToolResultMessage,
  outcomeOfToolMessage,
  toolMessageFrom,
} from './messages/builders.ts';
export type {
  AnswerDetails,
  AssistantMessage,
  Message,
  MessageFile,
  SystemMessage,
  ToolCall,
  ToolErrorDetail,
  ToolMessage,
  UserInputMessage,
  UserMessage,
} from './messages/message.ts';
export { applyWrites, mergeWrites } from './state/apply-writes.ts';
export { ImmerStateTracker } from './state/immer-state-tracker.ts';
export type { StatePath, StateWrite } from './state/state-write.ts';
export type {
  CallUpdate,
  CommitGuard,
  CommitInserts,
  CommitKind,
  CommitPlan,
  CommitRemovals,
  CommitUpdates,
  SessionGuard,
  SessionUpdate,
} from './store/commit-plan.ts';
export { readCursor, writeCursor } from './store/cursor.ts';
export type { ListPosition } from './store/cursor.ts';
export { callKey, callKeyText } from './store/call-key.ts';
export { callFits, sessionFits } from './store/filters.ts';
export { NoOpLockManager } from './store/lock-manager.ts';
export { toLockMs } from './store/to-lock-ms.ts';
export type { LockLease, LockManager } from './store/lock-manager.ts';
export type {
  CallAnswer,
  CallClass,
  CallKey,
  CallOutcome,
  CallOutcomeName,
  CallResult,
  CallState,
  CheckpointRow,
  ChildReferenceRow,
  CloseReason,
  InterruptRow,
  JournalKind,
  JournalRow,
  MessageRow,
  OpenCallKind,
  OpenCallRow,
  PlannedCall,
  ReferenceState,
  RunRow,
  RunStatus,
  RunTrigger,
  SessionRef,
  SessionRow,
  StepPlan,
  StoredError,
  SuspendedStatus,
  ToolExecution,
  UsageKind,
  UsageRow,
} from './store/rows.ts';
export type {
  AnswerCall,
  AnswerCallResult,
  DeleteGuard,
  DueWork,
  LeaseState,
  OpenCallFilter,
  Page,
  RenewLease,
  SessionFilter,
  SessionIndex,
  SessionStore,
  StepRows,
} from './store/session-store.ts';
export { BaseChunkSchema, StreamChunkSchema, StreamMessageSchema } from './stream/chunk-schema.ts';
export type {
  BaseChunk,
  ChunkBodies,
  ChunkOf,
  ChunkType,
  JsonPatch,
  StreamChunk,
} from './stream/chunks.ts';
export { createAppendWriter } from './stream/append-writer.ts';
export { canCarry } from './stream/in-one-database.ts';
export type { CarriedStreams, CarryingSessions, StreamWrite } from './stream/in-one-database.ts';
export { createLogReader, LOG_PAGE, LOG_PAGE_BYTES } from './stream/log-reader.ts';
export { toCursor } from './stream/to-cursor.ts';
export { toLimit } from './stream/to-limit.ts';
export type { LogPage, LogSource } from './stream/log-reader.ts';
export { createSharedReads } from './stream/shared-reads.ts';
export type {
  FullStreamManager,
  StoredChunk,
  StreamClose,
  StreamEntry,
  StreamInfo,
  StreamManager,
  StreamReader,
  StreamStatus,
  StreamWriter,
} from './stream/stream-manager.ts';
export { rollupUsage, usageEntryFromRow, usageRowFromEntry } from './usage/rollup.ts';
export type { TokenCounts, UsageEntry, UsageRollup, UsageStore } from './usage/usage.ts';
export { frozenCopy } from './util/frozen-copy.ts';
export { toJsonValue, utf8Length } from './util/to-json-value.ts';
export type { JsonConversion } from './util/to-json-value.ts';
export { LOOP_VERSION, runSession } from './loop.ts';
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
} from './loop.ts';
export { driveRun } from './engine/local-host.ts';
export type { DrivenRun, LocalDriver } from './engine/local-host.ts';
export type { AbortResult } from './engine/human/abort.ts';
export { createAnnouncer } from './engine/announce/announcer.ts';
export type { StreamState } from './engine/announce/stream-status.ts';
export type { Announcer } from './engine/announce/announcer.ts';
export { claimResume, takeOver } from './engine/claim/resume.ts';
export { sleep } from './engine/clock.ts';
export type { Clock } from './engine/clock.ts';
export { DEFAULT_LIMITS } from './engine/context.ts';
export type {
  Databases,
  EngineContext,
  EngineLimits,
  OperationScope,
  OwnerIdentity,
} from './engine/context.ts';
export type { InterruptResult } from './engine/human/interrupt.ts';
export { TranscriptCache } from './engine/memory/transcript-cache.ts';
export { checkEngineRun, startOrAwaitChild } from './engine/engine-runs.ts';
export type { IsRunAlive } from './engine/engine-runs.ts';
export { createOperations } from './engine/operations.ts';
export type { Operations } from './engine/operations.ts';
export { StepMemory } from './engine/memory/step-memory.ts';
export type { EndedRun } from './engine/memory/step-memory.ts';
export type { SubmitOutcome, UnknownCallReason } from './engine/human/submit.ts';
export { sweep } from './engine/human/sweep.ts';
export type { SweepPage, SweepReport } from './engine/human/sweep.ts';
export { watchOperation, watchRun } from './engine/watch-run.ts';
export type { OuterScope, RunWatch } from './engine/watch-run.ts';
export { assertSmall, fittingCalls } from './engine/loop-payload.ts';
export { AgentDirectory } from './client/agent-directory.ts';
export { createEngineContext } from './client/engine-context.ts';
export type { HostTraits } from './client/engine-context.ts';
export type { ExecutorOptions, ExecutorParts, OperationSeams } from './client/options.ts';
export { checkEvery } from './client/recovery.ts';
export type { RecoverOptions, SuperviseOptions, SweepSummary } from './client/recovery.ts';
export type {
  PruneOptions,
  PruneSummary,
  RestingStatus,
  TrimOptions,
  TrimSummary,
} from './client/retention.ts';
export { SessionExecutor } from './client/session-executor.ts';
export type { ExecutorHost, HostedRuns } from './client/hosted-runs.ts';
export { systemClock } from './client/system-clock.ts';
export { untilEngineRunEnds } from './client/run-result.ts';
export { sweepAll } from './client/sweep-all.ts';
export type { Sweeper, SweepTotals } from './client/sweep-all.ts';
export type { RunStarter } from './client/run-starter.ts';
export type {
  AgentExecutionHandle,
  AgentExecutor,
  AgentInput,
  AgentResult,
  CanResume,
  ExecuteOptions,
  ResumeOptions,
  SubmitOptions,
  StreamOptions,
  Suspension,
} from './client/types.ts';
export { isRoot, parentIdOf, rootRef } from './store/session-place.ts';
export type { StateStore } from './store/state-store.ts';
export type {
  Checkpoint,
  CheckpointMeta,
  CheckpointsPage,
  CheckpointsRange,
} from './state-store/checkpoints.ts';
export type { CreateSessionOptions } from './state-store/create-session.ts';
export type { InterruptFlag } from './state-store/interrupt-flags.ts';
export type { MessagesPage, MessagesRange, TruncateOptions } from './state-store/messages.ts';
export type { CreateRunOptions } from './state-store/runs.ts';
export type { SavedState } from './state-store/save-state.ts';
export { findExpiredPending, publicStatus } from './state-store/session-state.ts';
export type {
  CompletedClientToolCall,
  PendingClientToolCall,
  SessionState,
  SessionStatus,
} from './state-store/session-state.ts';
export type { SessionStateStore, Written } from './state-store/session-state-store.ts';
export {
  createStateStoreFacade,
  SessionStateStoreFacade,
} from './state-store/session-state-store-facade.ts';
export type { FacadeOptions } from './state-store/session-state-store-facade.ts';
export type {
  CompareAndSetOptions,
  CompareAndSetResult,
  ExpectedStatus,
  SetStatusOptions,
} from './state-store/set-status.ts';
export type { Promoted, PromoteOptions, StagedChanges } from './state-store/staging.ts';
export type { SubSessionRef } from './state-store/sub-sessions.ts';
export { composeHooks } from './engine/hooks/fire-hooks.ts';
export { HOOK_TABLE } from './define/hooks.ts';
export type {
  AgentHooks,
  HookContext,
  HookManager,
  HookName,
  HookPayloads,
  HookRow,
} from './define/hooks.ts';
export { CLIENT_TOOL_WAIT_MS_METRIC } from './engine/rows/call-usage.ts';
export type { DescribeError } from './engine/rows/answer-result.ts';
export { streamStatusFor } from './engine/announce/announce-end.ts';
