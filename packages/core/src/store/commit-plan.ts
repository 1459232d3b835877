import type {
  CallKey,
  CallOutcomeName,
  CallState,
  CheckpointRow,
  ChildReferenceRow,
  InputRow,
  InputState,
  InterruptScope,
  JournalRow,
  MessageRow,
  OpenCallRow,
  ReferenceState,
  RunRow,
  RunStatus,
  SessionRow,
  UsageRow,
} from './rows.ts';
import type { StreamWrite } from '../stream/in-one-database.ts';

/**
 * The purpose of a commit. A store may optimize by kind, but the effect is always what the plan says.
 *
 * - `create`: a session without a run.
 * - `claim`: a session gets a new owner, with a new run or by taking one over.
 * - `lease`: the owner starts, hands over or loses its run; nothing else changes.
 * - `record`: rows are added to the open step.
 * - `step`: the open step is committed and the run goes on.
 * - `suspend`: the run stops and can be resumed: it waits for people or children, or was interrupted.
 * - `end`: the run completes or fails.
 * - `answer`: answers to open calls are handed on.
 * - `abandon`: the open step of a session is closed from outside, with its children.
 * - `edit`: an application changes rows through the state store.
 */
export type CommitKind =
  | 'create'
  | 'claim'
  | 'lease'
  | 'record'
  | 'step'
  | 'suspend'
  | 'end'
  | 'answer'
  | 'abandon'
  | 'edit';

/**
 * One atomic write, as a value. All guards hold and everything is written, or nothing is.
 *
 * - Every plan updates or inserts at least one session row; each row is named at most once.
 * - A unique key that is already taken counts as a guard that missed.
 * - All times in a plan are on the clock of `now`; a store with a clock of its own shifts them.
 */
export interface CommitPlan {
  readonly kind: CommitKind;
  readonly rootId: string;
  /** Fresh per attempt at a write; never reused. */
  readonly commitId: string;
  readonly now: number;
  readonly guard: CommitGuard;
  readonly sessions?: readonly SessionUpdate[];
  readonly insert?: CommitInserts;
  readonly update?: CommitUpdates;
  readonly remove?: CommitRemovals;
  /** Only for a store and a stream of one database (`canCarry`). */
  readonly stream?: StreamWrite;
}

export interface CommitGuard {
  /** One entry per session the write depends on; those of `sessions` without an entry only have to exist. */
  readonly sessions?: readonly SessionGuard[];
  /** ROWS: these calls are still open. In a database with row locks they are locked until the commit. */
  readonly callsOpen?: readonly CallKey[];
  /** These calls are in this state with this outcome. */
  readonly calls?: readonly {
    readonly key: CallKey;
    readonly state: CallState;
    readonly outcome: CallOutcomeName;
  }[];
  readonly references?: readonly {
    readonly sessionId: string;
    readonly subSessionId: string;
    readonly state: ReferenceState;
  }[];
  /** No journal row with this key yet (a call without a result). */
  readonly journalAbsent?: readonly Pick<JournalRow, 'sessionId' | 'stepId' | 'index' | 'kind'>[];
  /** No interrupt waits for these runs. */
  readonly interruptsAbsent?: readonly { readonly sessionId: string; readonly runId: string }[];
  /** An interrupt waits for these runs, of this scope if one is named. */
  readonly interruptsPresent?: readonly {
    readonly sessionId: string;
    readonly runId: string;
    readonly scope?: InterruptScope;
  }[];
}

/** What must hold of one session row. Fields left out are not looked at. */
export interface SessionGuard {
  readonly sessionId: string;
  readonly absent?: true;
  readonly version?: number;
  readonly epoch?: number;
  readonly stepId?: number;
  readonly records?: number;
  readonly status?: readonly RunStatus[];
  readonly closed?: false;
  /** The lease is absent or its time is over by the store's clock. */
  readonly leaseExpired?: true;
}

export interface SessionUpdate {
  readonly sessionId: string;
  readonly set?: Partial<
    Omit<
      SessionRow,
      'sessionId' | 'rootId' | 'route' | 'unitId' | 'version' | 'records' | 'createdAt'
    >
  >;
  /** Adds one. */
  readonly raise?: { readonly version?: true; readonly records?: true };
}

export interface CommitInserts {
  readonly sessions?: readonly SessionRow[];
  readonly messages?: readonly MessageRow[];
  readonly journal?: readonly JournalRow[];
  readonly calls?: readonly OpenCallRow[];
  readonly references?: readonly ChildReferenceRow[];
  readonly checkpoints?: readonly CheckpointRow[];
  readonly runs?: readonly RunRow[];
  readonly usage?: readonly UsageRow[];
}

export interface CallUpdate {
  readonly key: CallKey;
  readonly set: Partial<Omit<OpenCallRow, keyof CallKey>>;
  /** Skips this row, without failing the plan, when it is in another state. */
  readonly onlyIf?: CallState;
}

export interface ReferenceUpdate {
  readonly sessionId: string;
  readonly subSessionId: string;
  readonly set: Partial<Omit<ChildReferenceRow, 'sessionId' | 'subSessionId'>>;
}

export interface RunUpdate {
  readonly runId: string;
  readonly set: Partial<Omit<RunRow, 'runId' | 'sessionId'>>;
}

/** Inputs are inserted by `putInput` and `putNotice` alone. */
export interface InputUpdate {
  readonly sessionId: string;
  readonly inputId: string;
  readonly set: Partial<Pick<InputRow, 'state' | 'settledAt' | 'purgeAt'>>;
  /** Skips this row, without failing the plan, when it is in another state. */
  readonly onlyIf?: InputState;
}

export interface CommitUpdates {
  readonly calls?: readonly CallUpdate[];
  readonly references?: readonly ReferenceUpdate[];
  readonly runs?: readonly RunUpdate[];
  readonly inputs?: readonly InputUpdate[];
}

export interface CommitRemovals {
  /** All journal rows of these steps. */
  readonly journal?: readonly { readonly sessionId: string; readonly stepId: number }[];
  readonly interrupts?: readonly { readonly sessionId: string; readonly runId: string }[];
  /** Messages after `sequence` (time travel). They go first: what the plan inserts may take their numbers. */
  readonly messagesAfter?: readonly { readonly sessionId: string; readonly sequence: number }[];
  /** Checkpoints newer than `version` (time travel), likewise. */
  readonly checkpointsAfter?: readonly { readonly sessionId: string; readonly version: number }[];
}
