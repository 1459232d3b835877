export { StreamNotActiveError } from './errors/session-errors.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type {
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
export type { StatePath, StateWrite } from './state/state-write.ts';
export type {
  CallUpdate,
  CommitGuard,
  CommitInserts,
  CommitPlan,
  CommitRemovals,
  CommitUpdates,
  SessionGuard,
  SessionUpdate,
} from './store/commit-plan.ts';
export { NoOpLockManager } from './store/lock-manager.ts';
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
export type {
  BaseChunk,
  ChunkBodies,
  ChunkOf,
  ChunkType,
  JsonPatch,
  StreamChunk,
} from './stream/chunks.ts';
export type {
  FullStreamManager,
  StoredChunk,
  StreamEntry,
  StreamInfo,
  StreamManager,
  StreamReader,
  StreamStatus,
  StreamWriter,
} from './stream/stream-manager.ts';
export { rollUpUsage } from './usage/roll-up-usage.ts';
export type { TokenCounts, UsageEntry, UsageRollup, UsageStore } from './usage/usage.ts';
