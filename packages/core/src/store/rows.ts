import type { JsonObject, JsonValue } from '../json.ts';
import type {
  AnswerDetails,
  AssistantMessage,
  Message,
  ToolErrorDetail,
  UserMessage,
} from '../messages/message.ts';
import type { StateWrite } from '../state/state-write.ts';
import type { CallWait, ParsedInput } from './call-rows.ts';
import type { InterruptScope } from './interrupt-rows.ts';
import type { CapabilityPin } from './pin-rows.ts';

export type {
  CallAnswer,
  CallKey,
  CallOutcomeName,
  CallState,
  CallWait,
  OpenCallKind,
  OpenCallRow,
  ParsedInput,
} from './call-rows.ts';
export type { InputRow, InputState } from './input-rows.ts';
export type { InterruptRow, InterruptScope } from './interrupt-rows.ts';
export type { CapabilityPin } from './pin-rows.ts';
export type { UsageKind, UsageRow } from './usage-rows.ts';

/** Address of a session: `rootId` is the partition, the Redis slot, the Durable Object's tree. */
export interface SessionRef {
  readonly rootId: string;
  readonly sessionId: string;
}

export type SuspendedStatus =
  | 'suspended_client_tool'
  | 'suspended_awaiting_children'
  | 'suspended_step_partial';

/** Status of a run, and of the session row that holds its current one. */
export type RunStatus = 'running' | 'completed' | 'failed' | 'interrupted' | SuspendedStatus;

export interface StoredError {
  readonly code: string;
  readonly message: string;
}

/** One row per session. `version` counts commits, `records` counts journal writes, `epoch` fences owners. */
export interface SessionRow extends SessionRef {
  /** Session ids from the root to this one, both included. Written once. */
  readonly route: readonly string[];
  /** The top of the sessions that are claimed and recovered together with it: the root, or a companion. */
  readonly unitId: string;
  /** The parent's call that made this session; null at a root. */
  readonly parentStepId: number | null;
  readonly parentIndex: number | null;
  readonly agentType: string;
  readonly streamId: string;
  readonly version: number;
  readonly epoch: number;
  readonly records: number;
  readonly status: RunStatus;
  readonly runId: string;
  /** Ordinal of the current run record, from 1. */
  readonly turn: number;
  /** False between an engine host's claim and the first operation of its loop. */
  readonly started: boolean;
  readonly hostKind: string;
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  /** Takeovers of the current run, counted before the work. */
  readonly recoveries: number;
  /** The step in progress; counts over the whole session and never resets. From 1. */
  readonly stepId: number;
  /** Steps since the last user input. */
  readonly stepCount: number;
  /** Sequence of the unfinished step's assistant message once a suspension has committed it. */
  readonly stepMessage: number | null;
  readonly messageCount: number;
  readonly customState: JsonValue;
  readonly output: JsonValue | null;
  readonly error: StoredError | null;
  /** Why its last run failed or was interrupted. */
  readonly failureReason: string | null;
  /** A closed child refuses everything; on an absent child this row is the tombstone. */
  readonly closed: boolean;
  readonly lastCommit: string;
  readonly resumeCount: number;
  /** Turns that completed or failed. */
  readonly ends: number;
  /** How many of them its parent is known to have; null for all but companions. */
  readonly reported: number | null;
  /**
   * The wake mark: from this time on somebody has to look whether it can go on. It counts only on a top that is suspended, or
   * completed and not closed.
   */
  readonly wakeAt: number | null;
  /** What an interrupted session was stopped by. */
  readonly stop: InterruptScope | null;
  readonly userId: string | null;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly createdAt: number;
  /**
   * Listings are ordered by it, so a step does not move it: a run that begins, waits or ends does, and in between each
   * renewal of its lease.
   */
  readonly updatedAt: number;
}

/**
 * Append-only; `(sessionId, sequence)` is unique, sequence from 1 without gaps. So is, among user messages that have
 * one, `(sessionId, message.id)`: a message that is sent again finds its key taken.
 */
export interface MessageRow {
  readonly sessionId: string;
  readonly sequence: number;
  readonly message: Message;
  readonly createdAt: number;
}

/** How a call is carried out; decided once by think and stored. */
export type CallClass =
  | 'server'
  | 'client'
  | 'approval'
  | 'subagent'
  | 'finish'
  /** Nothing to run: the result (bad input, unknown tool) is already in the plan. */
  | 'settled';

export type ToolExecution = 'retry' | 'once';

/** One call of the recorded plan. Key of a call: (session, stepId, index). */
export interface PlannedCall {
  readonly index: number;
  readonly callId: string;
  readonly toolName: string;
  readonly class: CallClass;
  readonly execution: ToolExecution;
  readonly timeoutMs: number | null;
  /** Raw arguments, as the model gave them. */
  readonly input: JsonValue;
  /** Absent in a plan of an earlier release, and where the schema's value has no JSON form: the raw input is parsed when it runs. */
  readonly parsed?: ParsedInput;
  /** For class `subagent`: the child's agent type and session id. */
  readonly child?: { readonly agentType: string; readonly sessionId: string };
  /** For class `settled`: the result every such call gets. */
  readonly result?: CallResult;
}

/** The recorded answer of the model: journal kind `plan`, index -1. */
export interface StepRecord {
  readonly message: AssistantMessage;
  readonly calls: readonly PlannedCall[];
  /** What an answer without calls means: the run is done, or the loop goes on. */
  readonly stop: boolean;
  /** State changes of hooks around the model call. */
  readonly writes?: readonly StateWrite[];
  /** The run that asked the model, as `turn` of the session counts. Absent in a plan of an earlier release. */
  readonly run?: number;
  /** What capabilities gave the model to read in this step. Appended to the transcript in front of `message`. */
  readonly notes?: readonly UserMessage[];
}

/** What a model had said when an interrupt cut it: journal kind `stopped`, index -1, of the step that comes next. */
export interface StoppedText {
  /** The step whose chunks hold it. */
  readonly step: number;
  /** Messages of the transcript that it follows. */
  readonly messageCount: number;
  /** Appended to the transcript if a new message follows. */
  readonly message: AssistantMessage & { readonly stopped: true };
}

/** A step that ended without an answer: what it streamed is withdrawn. It never streams again. */
export interface LeftStep {
  readonly step: number;
  readonly reason: string;
}

export type CallOutcome =
  | { readonly success: true; readonly value: JsonValue }
  | { readonly success: false; readonly error: ToolErrorDetail };

/** What a call came to. `writes` are its changes of custom state. */
export interface CallResult extends AnswerDetails {
  readonly outcome: CallOutcome;
  /** When its tool was started and when it ended, by the clock of the process that ran it. Absent if no tool was started. */
  readonly ran?: { readonly startedAt: number; readonly endedAt: number };
  readonly wait?: CallWait;
  /** The run that recorded it, as `turn` of the session counts. */
  readonly run?: number;
  readonly writes?: readonly StateWrite[];
}

/** The step in progress, and pins of the session. Insert-only, first wins, key `(sessionId, stepId, index, kind)`. */
export type JournalRow = {
  readonly sessionId: string;
  readonly stepId: number;
  readonly index: number;
  readonly createdAt: number;
} & (
  | { readonly kind: 'plan'; readonly data: StepRecord }
  | { readonly kind: 'start'; readonly data: CallStart }
  | { readonly kind: 'result'; readonly data: CallResult }
  | { readonly kind: 'stopped'; readonly data: StoppedText }
  /** Index -1, of the step that comes next. */
  | { readonly kind: 'withdrawn'; readonly data: { readonly steps: readonly LeftStep[] } }
  | { readonly kind: 'pin'; readonly data: CapabilityPin }
);

/** The first attempt at a call; of a call that waits for a companion also the end that it waits for. */
export interface CallStart {
  readonly attempt: string;
  readonly waitFor?: WaitFor;
}

export interface WaitFor {
  readonly sessionId: string;
  readonly end: number;
  /** By the store's clock; null: without a time-out. */
  readonly until: number | null;
}

export type JournalKind = JournalRow['kind'];

export type ReferenceState = 'live' | 'closing' | 'closed';

/** A parent's knowledge of one child. */
export interface ChildReferenceRow {
  readonly sessionId: string;
  readonly subSessionId: string;
  readonly agentType: string;
  readonly parentToolCallId: string;
  readonly stepId: number;
  readonly index: number;
  readonly state: ReferenceState;
  /** Rises each time the child is started or taken up again. */
  readonly continuation: number;
  /** How the child ended, as far as its parent knows. */
  readonly status: 'active' | 'completed' | 'failed';
  /** Where a child on another server is found; null for all others. */
  readonly remote: JsonValue | null;
  readonly mode: 'ephemeral' | 'persistent';
  readonly name: string | null;
  /** Counts the companions of one name, from 1; 1 for all other children. */
  readonly generation: number;
  /** The companion is known to exist. */
  readonly started: boolean;
  /** The highest end of the companion that was taken in here. */
  readonly told: number;
  /** The highest end that a message of this parent asked for. */
  readonly asked: number;
  /** An end begins a turn of the parent if that has completed. */
  readonly wake: boolean;
  /** The step with a recorded plan in which it ceased to be live. */
  readonly closingStep: number | null;
  readonly closingAt: number | null;
  /** Why it is being closed, for the close that follows. */
  readonly closeReason: CloseReason | null;
  readonly startedAt: number;
  readonly completedAt: number | null;
}

export type CloseReason = 'aborted' | 'superseded' | 'timeout' | 'failed';

/** Key `(sessionId, version)`: written by each settle and by a step's first suspension. */
export interface CheckpointRow {
  readonly sessionId: string;
  readonly version: number;
  readonly checkpointId: string;
  readonly runId: string;
  readonly stepId: number;
  readonly stepCount: number;
  readonly status: RunStatus;
  readonly messageCount: number;
  readonly customState: JsonValue;
  readonly streamSequence: number;
  readonly timestamp: number;
}

export type RunTrigger = 'execute' | 'resume' | 'retry' | 'child';

export interface RunRow {
  readonly runId: string;
  readonly sessionId: string;
  readonly turn: number;
  readonly status: RunStatus;
  readonly trigger: RunTrigger;
  readonly stepCount: number;
  readonly previousRunId: string | null;
  /** The checkpoint it went back to, where it did. */
  readonly fromCheckpointId: string | null;
  /** Head of the stream when the run began; its chunks come after it. */
  readonly startSequence: number;
  readonly startedAt: number;
  readonly completedAt: number | null;
}
