import type { JsonValue } from '../json.ts';
import type { RunStatus, SessionRef } from './rows.ts';

/** A message to a session that may be busy, or the notice that one of its companions has ended a turn. */
export type InputKind = 'message' | 'notice';

/** It is taken into the transcript, or dropped with its receiver or by its sender. Both are final. */
export type InputState = 'waiting' | 'taken' | 'dropped';

/** What waits for a top, or did. Key `(rootId, sessionId, inputId)`. Only `putInput` and `putNotice` insert. */
export interface InputRow extends SessionRef {
  /** See `inputIdOfCall`, `inputIdOfMessage` and `inputIdOfNotice`. */
  readonly inputId: string;
  readonly kind: InputKind;
  /** The value of `records` that it raised its receiver to: the order of inputs. */
  readonly seq: number;
  /** The session that sent it, or that ended; null: a person. */
  readonly sender: string | null;
  readonly content: JsonValue;
  /** Of a message: the end of a turn of its receiver that answers it. Of a notice: the end that it tells. Counted as `SessionRow.ends`. */
  readonly end: number;
  /** Whether it begins a turn of a completed receiver. A message always does. */
  readonly wake: boolean;
  readonly state: InputState;
  readonly createdAt: number;
  /** When it was taken or dropped. */
  readonly settledAt: number | null;
  /** When a row that does not wait may be deleted. */
  readonly purgeAt: number | null;
}

/** Messages that may wait for one session. Writers at the same time may pass it; notices do not count. */
export const MAX_WAITING_MESSAGES = 64;

export interface PutInput extends SessionRef {
  readonly inputId: string;
  readonly sender: string | null;
  readonly content: JsonValue;
  readonly now: number;
  /** Of a person's message, which only a running session takes. */
  readonly person?: {
    /** No user message of the transcript may have it. */
    readonly messageId: string;
    /** Must be the user of the session; left out: not compared. */
    readonly userId?: string | null;
  };
}

/** Why a message was not put, in the order in which it is looked at. */
export type PutRefusal =
  | 'no_session'
  | 'closed'
  /** `status` is one in which it takes no such message. */
  | 'status'
  | 'other_user'
  /** The transcript has a user message with this id. */
  | 'in_transcript'
  /** `MAX_WAITING_MESSAGES` wait. */
  | 'full';

export type PutInputResult =
  /** `put` is false for a repeat: `row` is then the existing row, in any state. `status` is the receiver's. */
  | {
      readonly found: true;
      readonly put: boolean;
      readonly row: InputRow;
      readonly status: RunStatus;
    }
  | { readonly found: false; readonly why: PutRefusal; readonly status: RunStatus | null };

/** The end of a turn of `childId`, told to its parent, which is the session named. */
export interface PutNotice extends SessionRef {
  readonly inputId: string;
  readonly childId: string;
  readonly end: number;
  readonly content: JsonValue;
  readonly now: number;
}

export type NoticeRefusal =
  | 'no_session'
  /** The reference is absent, closing or closed. */
  | 'not_live'
  /** The parent has taken in this end, or a later one. */
  | 'told';

export type PutNoticeResult =
  | {
      readonly found: true;
      readonly put: boolean;
      readonly row: InputRow;
      readonly status: RunStatus;
    }
  | { readonly found: false; readonly why: NoticeRefusal; readonly status: RunStatus | null };
