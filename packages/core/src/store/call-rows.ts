import type { JsonValue } from '../json.ts';

export type CallState = 'open' | 'answered' | 'settled';
export type CallOutcomeName =
  | 'answered'
  | 'approved'
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'superseded';
export type OpenCallKind = 'client' | 'approval';

/**
 * What a tool's schema made of a raw input, decided once. `same`: the raw input itself. `json`: this value, which is what runs. `form`:
 * something that JSON cannot carry; people see this form of it, and the process that runs the tool parses the raw input again.
 */
export type ParsedInput =
  | { readonly kind: 'same' }
  | { readonly kind: 'json' | 'form'; readonly value: JsonValue };

/** What a person, a deadline or a stop said. */
export type CallAnswer =
  | { readonly kind: 'result'; readonly value: JsonValue }
  | { readonly kind: 'error'; readonly error: string }
  | {
      readonly kind: 'approved';
      /** As the person edited it. */
      readonly input?: JsonValue;
      /** What the tool's schema made of the edit; absent if it could not be checked. */
      readonly parsed?: ParsedInput;
      readonly reason?: string;
    }
  | { readonly kind: 'denied'; readonly reason?: string }
  | { readonly kind: 'none' };

/** Rows of calls are matched by all of it: see `callKey`. */
export interface CallKey {
  readonly rootId: string;
  readonly toolCallId: string;
  /** Which question of a call that asks several; '' for one that asks once. */
  readonly part: string;
}

/**
 * A human call. In the root's database it is the authority: submitted to, swept, listed, announced.
 * Where sessions of a tree live apart every session from owner to root has a copy without a deadline.
 */
export interface OpenCallRow extends CallKey {
  readonly kind: OpenCallKind;
  /** Top of the owner: see `SessionRow`. */
  readonly unitId: string;
  readonly ownerSessionId: string;
  readonly ownerStepId: number;
  readonly ownerIndex: number;
  /** Session ids from the root to the owner, both included. */
  readonly route: readonly string[];
  readonly ownerAgentType: string;
  readonly toolName: string;
  /** What a person decides about: the input as the tool's schema read it. */
  readonly input: JsonValue;
  /** As the model gave it; null where that is the same. */
  readonly rawInput: JsonValue | null;
  /** Of the raw input. */
  readonly inputHash: string;
  readonly approvalId: string | null;
  /** Relative wait from the opening; null = never. The authority's row turns it into `deadlineAt`. */
  readonly timeoutMs: number | null;
  readonly deadlineAt: number | null;
  /** When a reminder is due; null when there is none, or it was taken. Only the root's row has one. */
  readonly remindAt: number | null;
  readonly state: CallState;
  readonly outcome: CallOutcomeName | null;
  readonly answer: CallAnswer | null;
  readonly answeredBy: string | null;
  readonly answeredAt: number | null;
  /** The id of the submission that was taken, where it had one: a repeat is known by it. */
  readonly submissionId: string | null;
  readonly settledAt: number | null;
  /** When a settled row may be deleted. */
  readonly purgeAt: number | null;
  readonly retentionMs: number;
  readonly userId: string | null;
  /** Set on the copy of a call whose authority is on another server. */
  readonly remote: RemoteCall | null;
  readonly openedAt: number;
}

/** A call on another server: the reference of the session there, and the call's id there. */
export interface RemoteCall {
  readonly subSessionId: string;
  readonly toolCallId: string;
}

/** How long a call waited for a person, by the clock of the store, and how that ended. */
export interface CallWait {
  readonly kind: OpenCallKind;
  readonly outcome: CallOutcomeName;
  readonly openedAt: number;
  readonly answeredAt: number;
  /** What they said, where they denied it. */
  readonly reason?: string;
}
