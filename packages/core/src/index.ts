/**
 * What an application needs. Authors of runtimes import `@helix-agents/core/host` as well, authors of stores
 * `@helix-agents/core/store`, with the long surface of a state store in `@helix-agents/core/state-store`.
 *
 * The folders, each importing only from those above it:
 *
 * - `errors/`, `util/`: typed errors with their codes; small helpers.
 * - `messages/`, `state/`, `stream/`, `usage/`: what a session consists of besides its rows.
 * - `store/`: the rows, the commit as a value, what a store has to do.
 * - `capability/`, `skills/`: what an agent brings to a run besides its tools; skills, their file format, skills in code.
 * - `define/`, `llm/`: agents, tools, hooks; the model behind an adapter.
 * - `remote/`: the way to agents on another server.
 * - `loop/`: the one loop, deterministic, over a host. `host.ts` there is what a runtime implements.
 * - `engine/`: the operations that the loop calls. `rows/` reads and builds rows; `memory/` is what a process caches; `announce/`
 *   writes to streams; `hooks/` fires hooks; `capabilities/` asks capabilities; `claim/` gives a session an owner; `children/` starts, collects and closes sub-agents;
 *   `human/` is what people and timers do to a session from outside; `step/` is one step of a run.
 * - `host/`: the operations as a runtime calls them, and runs driven in this process.
 * - `client/`: the executor: commands, handles, recovery, retention.
 * - `state-store/`: the long surface of a state store (loadState, saveState …) over its rows.
 */
export { capabilitySession } from './capability/session-of.ts';
export type {
  Capability,
  CapabilityNote,
  CapabilitySession,
  StepAdditions,
} from './capability/types.ts';
export type { RecoverOptions, SuperviseOptions, SweepSummary } from './client/recovery.ts';
export type { PruneOptions, PruneSummary, TrimOptions, TrimSummary } from './client/retention.ts';
export type {
  AbortOptions,
  AgentExecutionHandle,
  AgentExecutor,
  AgentInput,
  AgentResult,
  CallOptions,
  CancelOptions,
  CanResume,
  ExecuteOptions,
  InputOf,
  ResumeOptions,
  StreamOptions,
  StopOptions,
  SubmitOptions,
  Suspension,
} from './client/types.ts';
export { toRunOutcome } from './client/run-outcome.ts';
export type { RunOutcome, StepOutcome, SuspendedChildWait } from './client/run-outcome.ts';
export { AgentRegistry, defaultAgentRegistry } from './define/agent-registry.ts';
export type { AgentFactory, AgentFactoryContext } from './define/agent-registry.ts';
export { DEFAULT_CLIENT_TOOL_TIMEOUT_MS } from './define/defaults.ts';
export { defineAgent } from './define/define-agent.ts';
export type { AgentDefinition } from './define/define-agent.ts';
export { defineTool } from './define/define-tool.ts';
export type { DefinedTool, ToolDefinition } from './define/define-tool.ts';
export { buildEffectiveTools } from './define/effective-tools.ts';
export type { SessionTools } from './define/effective-tools.ts';
export { FINISH_TOOL_NAME } from './define/finish-tool.ts';
export { HOOK_TABLE } from './define/hooks.ts';
export type {
  AgentHooks,
  HookContext,
  HookFunctions,
  HookManager,
  HookName,
  HookPayloads,
} from './define/hooks.ts';
export type {
  HookWrappers,
  ModelAttempt,
  ModelOutcome,
  ToolAttempt,
  ToolOutcome,
} from './define/hook-wrappers.ts';
export { callSpanId, deriveId, DERIVED_STATE } from './trace/trace-context.ts';
export type { CallWait } from './store/rows.ts';
export type { StoredTrace, TraceContext } from './trace/trace-context.ts';
export { formatTraceParent, parseTraceParent, type TraceParent } from './trace/traceparent.ts';
export { initialState } from './define/initial-state.ts';
export { SESSION_LIMITS } from './define/session-limits.ts';
export { RESERVED_TOOL_NAMES, RESERVED_TOOL_NAME_PREFIXES } from './define/tool-names.ts';
export type { AgentRegistryLike } from './define/resolve-agent.ts';
export {
  SUBAGENT_TOOL_PREFIX,
  createSubAgentTool,
  isSubAgentTool,
} from './define/sub-agent-tool.ts';
export type { SubAgentTool, SubAgentToolOptions } from './define/sub-agent-tool.ts';
export {
  DEFAULT_SUBMIT_MAX_RESULT_BYTES,
  SUBMIT_SCHEMA_LIMITS,
  SubmitToolResultSchema,
  createSubmitToolResultSchema,
} from './define/submit-schema.ts';
export type { SubmitToolResult, SubmitToolResultInput } from './define/submit-schema.ts';
export type {
  AgentConfig,
  ApprovalContext,
  Durability,
  InferAgentOutput,
  InferAgentState,
  InferAgentTools,
  InferInitialState,
  InferToolInput,
  InferToolOutput,
  RequireApproval,
  Schema,
  Tool,
  ToolContext,
} from './define/types.ts';
export type { Clock } from './engine/clock.ts';
export type { EngineLimits } from './engine/context.ts';
export { composeHooks } from './engine/hooks/fire-hooks.ts';
export type { AbortResult } from './engine/human/abort.ts';
export type { InterruptResult } from './engine/human/interrupt.ts';
export type { SubmitOutcome, UnknownCallReason } from './engine/human/submit.ts';
export { CLIENT_TOOL_WAIT_MS_METRIC } from './engine/rows/call-usage.ts';
export { HelixPayloadTooLargeError, HelixStreamError } from './errors/client-errors.ts';
export { humanizeClientToolError } from './errors/client-tool-errors.ts';
export {
  CLIENT_TOOL_ERROR_CODES,
  KNOWN_ERROR_CODES,
  isClientToolErrorCode,
  isKnownErrorCode,
} from './errors/codes.ts';
export type { ClientToolErrorCode, ErrorCode } from './errors/codes.ts';
export { HelixError, errorMessage } from './errors/helix-error.ts';
export type { HelixErrorOptions } from './errors/helix-error.ts';
export type { Issue } from './errors/issue.ts';
export {
  RemoteRefusedError,
  RemoteReplyError,
  RemoteSubAgentClientToolUnsupportedError,
  RemoteUnreachableError,
} from './errors/remote-errors.ts';
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
  StoreRefusedError,
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
export type { AppliedCacheResult, CacheStrategy } from './llm/cache/cache-strategy.ts';
export { functionModel } from './llm/function-model.ts';
export type { FunctionModel } from './llm/function-model.ts';
export { MockLLMAdapter, RoutingMockLLMAdapter } from './llm/mock-llm-adapter.ts';
export type { ScriptOptions, ScriptedStep } from './llm/scripted-step.ts';
export { assertValidTranscript } from './llm/transcript.ts';
export { HttpRemoteAgentTransport } from './remote/http-remote-agent-transport.ts';
export type { HttpRemoteAgentTransportOptions } from './remote/http-remote-agent-transport.ts';
export type {
  RemoteAgentTransport,
  RemoteEvent,
  RemoteOpenCall,
  RemoteRequestOptions,
  RemoteRun,
  RemoteStart,
  RemoteStatus,
  RemoteSubmission,
} from './remote/remote-agent-transport.ts';
export type { RemoteLimits } from './remote/remote-limits.ts';
export { consoleLogger, noopLogger, toLogger, withContext } from './logger.ts';
export type { AnyLogger, Logger, ObjectFirstLogger } from './logger.ts';
export {
  createAssistantMessage,
  createToolResultMessage,
  outcomeOfToolMessage,
} from './messages/builders.ts';
export { buildMessagesForLLM } from './messages/prompt-transcript.ts';
export type {
  AssistantMessage,
  Message,
  MessageFile,
  SystemMessage,
  ToolCall,
  ToolMessage,
  UserInputMessage,
  UserMessage,
} from './messages/message.ts';
export { inCodeSkillProvider } from './skills/in-code-skill-provider.ts';
export { MAX_SKILL_FILE_BYTES, parseSkillFile } from './skills/parse-skill-file.ts';
export type {
  ParsedSkill,
  ParseSkillOptions,
  ParseSkillResult,
} from './skills/parse-skill-file.ts';
export { generateSkillsSystemPromptFragment } from './skills/prompt-fragment.ts';
export type { ActiveSkill } from './skills/prompt-fragment.ts';
export { skillResourcePath } from './skills/resource-path.ts';
export { isSkillName } from './skills/skill-name.ts';
export { collectLoadedSkillNames } from './skills/skill-text.ts';
export { sliceLines } from './skills/slice-lines.ts';
export type {
  ReadResourceRange,
  Skill,
  SkillDefinition,
  SkillMetadata,
  SkillProvider,
  SkillResource,
} from './skills/types.ts';
export type { Checkpoint, CheckpointMeta } from './state-store/checkpoints.ts';
export type { SessionStateStore } from './state-store/session-state-store.ts';
export { findExpiredPending, publicStatus } from './state-store/session-state.ts';
export type { SessionState, SessionStatus } from './state-store/session-state.ts';
export type { SubSessionRef } from './state-store/sub-sessions.ts';
export { ImmerStateTracker } from './state/immer-state-tracker.ts';
export { editableInput } from './store/editable-input.ts';
export { NoOpLockManager } from './store/lock-manager.ts';
export type { LockManager } from './store/lock-manager.ts';
export type {
  OpenCallKind,
  OpenCallRow,
  RunRow,
  RunStatus,
  SessionRow,
  StoredError,
  SuspendedStatus,
} from './store/rows.ts';
export type { OpenCallFilter, Page, SessionFilter } from './store/session-store.ts';
export type { StateStore } from './store/state-store.ts';
export { BaseChunkSchema, StreamChunkSchema, StreamMessageSchema } from './stream/chunk-schema.ts';
export type { ChunkOf, ChunkType, JsonPatch, StreamChunk } from './stream/chunks.ts';
export type {
  StoredChunk,
  StreamManager,
  StreamReader,
  StreamWriter,
} from './stream/stream-manager.ts';
export type { TokenCounts, UsageRollup, UsageStore } from './usage/usage.ts';
export { describeFault, MAX_JSON_BYTES, toJsonValue, utf8Length } from './util/to-json-value.ts';
