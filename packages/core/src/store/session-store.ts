import type { JsonObject } from '../json.ts';
import type { CommitPlan } from './commit-plan.ts';
import type {
  InputRow,
  PutInput,
  PutInputResult,
  PutNotice,
  PutNoticeResult,
} from './input-rows.ts';
import type {
  CallAnswer,
  CallKey,
  CallOutcomeName,
  CheckpointRow,
  ChildReferenceRow,
  InterruptRow,
  InterruptScope,
  JournalRow,
  MessageRow,
  OpenCallKind,
  OpenCallRow,
  RunRow,
  RunStatus,
  SessionRef,
  SessionRow,
} from './rows.ts';

/** A session and all that its current step consists of, read in this order, children last. */
export interface StepRows {
  readonly session: SessionRow;
  /** The interrupt that is due for the current run. */
  readonly interrupt: InterruptRow | null;
  /** Journal of `session.stepId` only. */
  readonly journal: readonly JournalRow[];
  /** Calls of its unit in this database whose route passes through this session, open or answered. */
  readonly calls: readonly OpenCallRow[];
  /** References of the current step, and older ones that are not closed. */
  readonly references: readonly ChildReferenceRow[];
  /** The rows of those children that live in this database. */
  readonly children: readonly SessionRow[];
  /** Inputs that wait for it, by `seq`. */
  readonly inputs: readonly InputRow[];
}

/**
 * One tree of sessions. Implementations hold no logic of the engine: they read rows and apply plans.
 * Every method is atomic on its own. Values handed in and out are never shared (no aliasing).
 * A rejected promise means the outcome is unknown; the engine reads again.
 */
export interface SessionStore {
  /** Also finds a child whose id is all that is known: `rootId` and `sessionId` are then both that id. */
  readSession(ref: SessionRef): Promise<SessionRow | null>;
  /** Likewise. */
  readStep(ref: SessionRef): Promise<StepRows | null>;
  /** The journal of one step, by index. That of step 0 holds what is pinned to the session. */
  readJournal(ref: SessionRef, stepId: number): Promise<readonly JournalRow[]>;
  /** Messages with `sequence > after`, ascending. */
  readMessages(
    ref: SessionRef,
    range?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly MessageRow[]>;
  /** The user message with this id, of which a session has one at most. */
  readMessage(ref: SessionRef, messageId: string): Promise<MessageRow | null>;
  /** All calls of the root in this database, settled ones included; `only` narrows to the one of that key. */
  readCalls(
    rootId: string,
    only?: Pick<CallKey, 'toolCallId' | 'part'>,
  ): Promise<readonly OpenCallRow[]>;
  /** All references of this session, closed ones included. */
  readReferences(ref: SessionRef): Promise<readonly ChildReferenceRow[]>;
  /** Inputs of this session in any state, by `seq`; `only` narrows to the one with that id, or to those of a sender. */
  readInputs(
    ref: SessionRef,
    only?: { readonly inputId?: string; readonly sender?: string },
  ): Promise<readonly InputRow[]>;
  /** Ascending by turn; `last` keeps only that many of the newest. */
  readRuns(ref: SessionRef, range?: { readonly last?: number }): Promise<readonly RunRow[]>;
  /** Descending by version. */
  readCheckpoints(
    ref: SessionRef,
    range?: { readonly before?: number; readonly limit?: number },
  ): Promise<readonly CheckpointRow[]>;

  /** Applies the plan and says true, or finds a guard that missed, writes nothing and says false. */
  commit(plan: CommitPlan): Promise<boolean>;

  /**
   * Answers one open call whose deadline is ahead by the store's clock, in one conditional write.
   * An overdue open row is moved to answered/expired instead, in the same write.
   * Says what was found before and whether this answer was taken.
   */
  answerCall(input: AnswerCall): Promise<AnswerCallResult>;
  /** Moves all overdue open calls of this top's unit to answered/expired in one write; returns those rows as they are now. */
  expireCalls(top: SessionRef, now: number): Promise<readonly OpenCallRow[]>;
  /** Takes the reminders that are due: open calls with `remindAt` past get it cleared in one write; returns those rows. */
  takeReminders(top: SessionRef, now: number): Promise<readonly OpenCallRow[]>;
  /** Deletes settled calls of the unit whose `purgeAt` is past; says how many. */
  purgeCalls(top: SessionRef, now: number): Promise<number>;

  /**
   * Puts a message to a session, in one conditional write: the row, the receiver's `records` + 1 as its `seq`, its `ends` + 1 as the
   * end that answers it, and the wake mark of a completed one. An id that is there is a repeat, whatever has become of the row. Like
   * the two below it changes neither `version` nor `lastCommit`.
   */
  putInput(input: PutInput): Promise<PutInputResult>;
  /**
   * Puts the end of a companion's turn to its parent, likewise: if the reference is live and this end was not taken in. The wake mark is
   * set if the parent is suspended, or completed and the reference says `wake`.
   */
  putNotice(input: PutNotice): Promise<PutNoticeResult>;
  /** Raises `reported` of a companion to `end`, if it is lower. Of any other session, or none, nothing is written. */
  report(ref: SessionRef, end: number): Promise<void>;
  /** Deletes inputs of this session that do not wait and whose `purgeAt` is past; says how many. */
  purgeInputs(top: SessionRef, now: number): Promise<number>;

  /**
   * Records a stop request stamped with the current run, if the session is running; with `runId` only if that is its
   * current run. Its scope is `tree` unless another is named. Repeat keeps the first.
   */
  requestInterrupt(
    ref: SessionRef,
    reason: string | null,
    now: number,
    only?: { readonly runId?: string; readonly scope?: InterruptScope },
  ): Promise<InterruptRow | null>;
  /**
   * Extends the lease if epoch and lease owner are still the caller's and the session is running, and notes the time as
   * the session's last change; says what the owner must know.
   */
  renewLease(input: RenewLease): Promise<LeaseState>;

  /**
   * Deletes the session, all below it and what belongs to them, in one write; at a root also its calls, and its stream
   * where streams live in the same database. With `guard`: only if the session is at that version. False: there was
   * none, or it was not, and nothing was deleted. A commit that races with it finds the session gone, or makes it miss.
   */
  deleteSession(ref: SessionRef, guard?: DeleteGuard): Promise<boolean>;
}

export interface DeleteGuard {
  readonly version: number;
}

export interface AnswerCall {
  readonly key: CallKey;
  readonly outcome: CallOutcomeName;
  readonly answer: CallAnswer;
  readonly answeredBy: string | null;
  /** Stored with the answer. */
  readonly submissionId?: string;
  readonly now: number;
  /** What the call has to be besides open: one that is not is left as it is, and the answer is not taken. */
  readonly only?: { readonly kind: OpenCallKind; readonly approvalId?: string };
}

export type AnswerCallResult =
  | { readonly found: false }
  /** `row` is the row as it is after the write. */
  | { readonly found: true; readonly taken: boolean; readonly row: OpenCallRow };

export interface RenewLease extends SessionRef {
  readonly epoch: number;
  readonly owner: string;
  /** Null only looks, without extending. */
  readonly extendMs: number | null;
  readonly now: number;
}

export interface LeaseState {
  /** The epoch is still the caller's and the session still running. */
  readonly owned: boolean;
  /** An interrupt for the current run is waiting. */
  readonly interrupted: boolean;
}

export interface SessionFilter {
  readonly status?: readonly RunStatus[];
  readonly agentType?: string;
  readonly userId?: string;
  /** All of these tags. */
  readonly tags?: readonly string[];
  /** All of these metadata entries. */
  readonly metadata?: JsonObject;
  /** Roots only unless false. */
  readonly rootsOnly?: boolean;
  readonly limit?: number;
  /** Sessions after this one in the listing order (updatedAt descending, id). */
  readonly cursor?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

export interface OpenCallFilter {
  readonly rootSessionId?: string;
  readonly userId?: string;
  /** Type of the agent that asks, at whatever depth. */
  readonly agentType?: string;
  readonly kind?: OpenCallKind;
  readonly toolName?: string;
  /** Deadline before this time. */
  readonly dueBefore?: number;
  readonly limit?: number;
  readonly cursor?: string;
}

/** What a sweep has to look at. It is about tops: roots and companions. */
export interface DueWork {
  /** Tops with an open call in their unit whose deadline is past. */
  readonly overdueTops: readonly SessionRef[];
  /** Running tops whose lease is over, or of this host kind and not started. */
  readonly deadTops: readonly SessionRow[];
  /** Tops with an open call in their unit whose reminder is due. */
  readonly remindableTops: readonly SessionRef[];
  /** Suspended tops with an answered call in their unit and no open one: a resume would go on. */
  readonly answeredTops: readonly SessionRow[];
  /** Tops whose wake mark is past: suspended, or completed and not closed. */
  readonly wakeableTops: readonly SessionRow[];
  /** Companions with ends that their parent is not known to have. */
  readonly unreportedTops: readonly SessionRow[];
  /** References that are closing. */
  readonly closing: readonly { readonly parent: SessionRef; readonly subSessionId: string }[];
  /** Tops with settled calls or inputs past their purge time. */
  readonly purgeableTops: readonly SessionRef[];
}

/** Finds sessions across trees. In Durable Objects this is another place than the store. */
export interface SessionIndex {
  /** The root of the tree a session is in, by the id of the session alone; null when there is no such session. */
  findRoot(sessionId: string): Promise<string | null>;
  listSessions(filter?: SessionFilter): Promise<Page<SessionRow>>;
  /** Open calls (state `open`) at roots, oldest first. */
  listOpenCalls(filter?: OpenCallFilter): Promise<Page<OpenCallRow>>;
  findDue(input: {
    readonly now: number;
    readonly hostKind: string;
    /** Of each list. */
    readonly limit: number;
    /**
     * Tops to leave out of every list, so that what cannot be served does not hide what can; with a root also the closing references
     * of its whole tree.
     */
    readonly except?: readonly string[];
  }): Promise<DueWork>;
}
