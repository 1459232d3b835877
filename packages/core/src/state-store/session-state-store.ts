import type { JsonValue } from '../json.ts';
import type { Message } from '../messages/message.ts';
import type { RunRow } from '../store/rows.ts';
import type { Checkpoint, CheckpointsPage, CheckpointsRange } from './checkpoints.ts';
import type { CreateSessionOptions } from './create-session.ts';
import type { InterruptFlag } from './interrupt-flags.ts';
import type { MessagesPage, MessagesRange, TruncateOptions } from './messages.ts';
import type { CreateRunOptions } from './runs.ts';
import type { SavedState } from './save-state.ts';
import type { SessionState } from './session-state.ts';
import type {
  CompareAndSetOptions,
  CompareAndSetResult,
  ExpectedStatus,
  SetStatusOptions,
} from './set-status.ts';
import type { Promoted, PromoteOptions, StagedChanges } from './staging.ts';
import type { SubSessionRef } from './sub-sessions.ts';

/** What most writes say: the version the session has now. */
export interface Written {
  readonly newVersion: number;
}

/**
 * Sessions by their id, for applications, tools and loops driven by hand. Every write is one commit, refused by a typed
 * error where it would cut into a run in progress (`AgentAlreadyRunningError`) or a step that waits for a person
 * (`SessionSuspendedError`), and raises the version: a state loaded before it is stale.
 */
export interface SessionStateStore {
  /** A session without a run. `SessionExistsError` when it is there already. */
  createSession(sessionId: string, options?: CreateSessionOptions): Promise<SessionState>;
  sessionExists(sessionId: string): Promise<boolean>;
  /** With everything that belongs to it, sub-sessions included. */
  deleteSession(sessionId: string): Promise<void>;
  deleteState(sessionId: string): Promise<void>;

  loadState<State = JsonValue>(sessionId: string): Promise<SessionState<State> | null>;
  /** Writes custom state, output, user id, tags and metadata. `StaleStateError` when the version moved on. */
  saveState(sessionId: string, state: SavedState): Promise<Written>;

  updateStatus(
    sessionId: string,
    status: ExpectedStatus,
    options?: SetStatusOptions,
  ): Promise<Written>;
  compareAndSetStatus(
    sessionId: string,
    expected: readonly ExpectedStatus[],
    next: ExpectedStatus,
    options?: CompareAndSetOptions,
  ): Promise<CompareAndSetResult>;

  appendMessages(
    sessionId: string,
    messages: readonly Message[],
  ): Promise<Written & { readonly messageCount: number }>;
  getMessages(sessionId: string, range?: MessagesRange): Promise<MessagesPage>;
  getAllMessages(sessionId: string): Promise<readonly Message[]>;
  /** Keeps the first `count` messages, and the checkpoints that need no others. */
  truncateMessages(
    sessionId: string,
    count: number,
    options?: TruncateOptions,
  ): Promise<Written & { readonly messageCount: number }>;

  /** Says what it is now. */
  incrementStepCount(sessionId: string): Promise<number>;
  incrementResumeCount(sessionId: string): Promise<number>;

  /** Keeps a call's changes until its step is promoted; a repeat for the same call changes nothing. */
  stageChanges(sessionId: string, stepId: number, changes: StagedChanges): Promise<void>;
  promoteStaging(sessionId: string, options: PromoteOptions): Promise<Promoted>;
  discardStaging(sessionId: string, stepId: number): Promise<void>;
  /** State, staged changes, messages and a checkpoint in one write, or none of them. */
  saveStateAndPromoteStaging(
    sessionId: string,
    state: SavedState,
    options: PromoteOptions,
  ): Promise<Promoted>;

  /** Newest first. */
  listCheckpoints(sessionId: string, range?: CheckpointsRange): Promise<CheckpointsPage>;
  getLatestCheckpoint(sessionId: string): Promise<Checkpoint | null>;
  getCheckpoint(sessionId: string, checkpointId: string): Promise<Checkpoint | null>;
  /** The id of a checkpoint names its session. */
  getCheckpoint(checkpointId: string): Promise<Checkpoint | null>;

  createRun(sessionId: string, options?: CreateRunOptions): Promise<RunRow>;
  getCurrentRun(sessionId: string): Promise<RunRow | null>;
  /** Ascending by turn; `last` keeps only that many of the newest. */
  listRuns(
    sessionId: string,
    range?: { readonly last?: number },
  ): Promise<{ readonly runs: readonly RunRow[] }>;

  /** Asks the current run to stop; false when nothing is running that could obey. */
  setInterruptFlag(sessionId: string, reason?: string): Promise<boolean>;
  /** Reads and leaves it there. */
  checkInterruptFlag(sessionId: string): Promise<InterruptFlag | null>;
  clearInterruptFlag(sessionId: string): Promise<void>;

  listSubSessions(sessionId: string): Promise<readonly SubSessionRef[]>;
}
