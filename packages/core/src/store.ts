/** For authors of stores: rows, commit plans, the contracts of session and stream stores and what they share. */
export { checkNode } from './errors/check-node.ts';
export type { StateWrite } from './state/state-write.ts';
export { callKey, callKeyText } from './store/call-key.ts';
export type {
  CallUpdate,
  CommitGuard,
  CommitInserts,
  CommitKind,
  CommitPlan,
  CommitRemovals,
  CommitUpdates,
  InputUpdate,
  SessionGuard,
  SessionUpdate,
} from './store/commit-plan.ts';
export { readCursor, writeCursor } from './store/cursor.ts';
export type { ListPosition } from './store/cursor.ts';
export { inputIdOfCall, inputIdOfMessage, inputIdOfNotice } from './store/input-ids.ts';
export { MAX_WAITING_MESSAGES } from './store/input-rows.ts';
export type {
  NoticeRefusal,
  PutInput,
  PutInputResult,
  PutNotice,
  PutNoticeResult,
  PutRefusal,
} from './store/input-rows.ts';
export { marksWake, RECEIVING, refuseNotice, refusePut } from './store/put-rules.ts';
export { callFits, sessionFits } from './store/filters.ts';
export type { LockLease } from './store/lock-manager.ts';
export { userMessageId } from './store/message-id.ts';
export type {
  CallAnswer,
  CallClass,
  CallKey,
  CallOutcome,
  CallResult,
  CallState,
  CheckpointRow,
  ChildReferenceRow,
  CloseReason,
  InputRow,
  InterruptRow,
  InterruptScope,
  JournalKind,
  JournalRow,
  MessageRow,
  ParsedInput,
  PlannedCall,
  SessionRef,
  StepRecord,
  ToolExecution,
  UsageKind,
  UsageRow,
} from './store/rows.ts';
export {
  companionPlace,
  isRoot,
  isTop,
  parentIdOf,
  rootRef,
  topRef,
} from './store/session-place.ts';
export type {
  AnswerCall,
  AnswerCallResult,
  DeleteGuard,
  DueWork,
  LeaseState,
  RenewLease,
  SessionIndex,
  SessionStore,
  StepRows,
} from './store/session-store.ts';
export { readTurnRuns } from './store/turn-runs.ts';
export { toLockMs } from './store/to-lock-ms.ts';
export { createAppendWriter } from './stream/append-writer.ts';
export type { BaseChunk } from './stream/chunks.ts';
export { canCarry } from './stream/in-one-database.ts';
export type { CarriedStreams, CarryingSessions, StreamWrite } from './stream/in-one-database.ts';
export { LOG_PAGE, LOG_PAGE_BYTES, createLogReader } from './stream/log-reader.ts';
export type { LogSource } from './stream/log-reader.ts';
export { createSharedReads } from './stream/shared-reads.ts';
export type {
  FullStreamManager,
  StreamClose,
  AppendOptions,
  StreamEntry,
  StreamInfo,
  StreamStatus,
} from './stream/stream-manager.ts';
export { toCursor } from './stream/to-cursor.ts';
export { toLimit } from './stream/to-limit.ts';
export { rollupUsage, usageEntryFromRow, usageRowFromEntry } from './usage/rollup.ts';
export type { UsageEntry } from './usage/usage.ts';
export { frozenCopy } from './util/frozen-copy.ts';
