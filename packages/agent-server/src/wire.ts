import type {
  AbortResult,
  InterruptResult,
  Issue,
  JsonObject,
  JsonValue,
  Message,
  OpenCallKind,
  RunRow,
  RunStatus,
  SessionStatus,
  StoredError,
  UnknownCallReason,
} from '@helix-agents/core';

// What goes over the wire. Optional fields may also be sent as undefined, which JSON leaves out.

/** A user message as requests carry it. */
export interface WireUserMessage {
  readonly role: 'user';
  readonly id?: string | undefined;
  readonly content: string;
  readonly files?:
    | readonly {
        readonly data: string;
        readonly mediaType: string;
        readonly filename?: string | undefined;
      }[]
    | undefined;
  readonly metadata?: JsonObject | undefined;
}

export type WireMessage = string | readonly WireUserMessage[];

export interface StartRequest {
  /** Leave it out: the server issues one. */
  readonly sessionId?: string | undefined;
  readonly agentType: string;
  readonly message: WireMessage;
  readonly state?: JsonObject | undefined;
  readonly metadata?: { readonly [key: string]: string } | undefined;
  readonly tags?: readonly string[] | undefined;
  /** With `x-helix-protocol`: a start that arrives later, by the clock of the server, is refused. */
  readonly notAfter?: number | undefined;
}

export interface ResumeRequest {
  readonly sessionId: string;
  /** With `x-helix-protocol`: goes on after this run alone; where another one came after it, that one is the answer. */
  readonly runId?: string | undefined;
  /** A new turn of a session that ended, or a message instead of the answers one waits for. */
  readonly message?: WireMessage | undefined;
  readonly onMessageWhileSuspended?: 'reject' | 'supersede' | undefined;
  /** Starts a failed session again where it failed. */
  readonly retry?: boolean | undefined;
}

export interface StopRequest {
  readonly sessionId: string;
  /** Stops this run alone: `too_late` when another one has begun meanwhile. */
  readonly runId?: string | undefined;
  readonly reason?: string | undefined;
}

/** A run that goes on now. */
export interface RunStarted {
  readonly sessionId: string;
  readonly streamId: string;
  readonly runId: string;
}

export interface SessionStarted extends RunStarted {
  /** False: it was started before, and this is its run. */
  readonly created: boolean;
  /** Opens this session only; where the server issues tokens. */
  readonly token?: string | undefined;
  readonly expiresAt?: number | undefined;
}

/** A question to a person. */
export interface OpenCallView {
  /** The root session: submit to it. */
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly kind: OpenCallKind;
  readonly toolName: string;
  /** The value that runs, or its JSON form. */
  readonly input: JsonValue;
  /** What a person edits instead, where the tool's schema changes types. */
  readonly rawInput?: JsonValue | undefined;
  readonly approvalId: string | null;
  /** The agent that asks, and its session. */
  readonly agentType: string;
  readonly ownerSessionId: string;
  readonly userId: string | null;
  readonly openedAt: number;
  readonly deadlineAt: number | null;
}

/** A session in a listing: without its output, which may be large. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly rootSessionId: string;
  readonly agentType: string;
  readonly status: SessionStatus;
  readonly runStatus: RunStatus;
  readonly runId: string;
  readonly streamId: string;
  readonly turn: number;
  readonly stepCount: number;
  readonly messageCount: number;
  readonly userId: string | null;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly error: StoredError | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SessionView extends SessionSummary {
  readonly output: JsonValue;
}

export interface SessionStatusView extends SessionView {
  /** Somebody has to answer a call. */
  readonly awaitingClientTool: boolean;
  /** The oldest, up to a hundred and 1 MB; `/open-calls` has them all. */
  readonly openCalls: readonly OpenCallView[];
  /** Number of the newest chunk. */
  readonly streamSequence: number;
}

export interface SessionDetailView extends SessionStatusView {
  readonly state: JsonValue;
  /** May be fewer than were asked for: a page ends at 1 MB. The next begins at the offset plus how many came. */
  readonly messages: {
    readonly messages: readonly Message[];
    readonly total: number;
    readonly hasMore: boolean;
  };
  /** The newest hundred, oldest first. */
  readonly runs: readonly RunRow[];
}

/** May hold fewer than were asked for: a page ends at 1 MB, and has at least one item where there is one. */
export interface WirePage<T> {
  readonly items: readonly T[];
  /** Of the next page; null: this is the last. */
  readonly cursor: string | null;
}

export interface SessionsQuery {
  readonly status?: RunStatus | 'active' | undefined;
  readonly agentType?: string | undefined;
  readonly userId?: string | undefined;
  readonly tag?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface OpenCallsQuery {
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  readonly agentType?: string | undefined;
  readonly kind?: OpenCallKind | undefined;
  readonly toolName?: string | undefined;
  readonly dueBefore?: number | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface SessionDetailQuery {
  readonly messagesOffset?: number | undefined;
  readonly messagesLimit?: number | undefined;
}

export type SubmitAnswer =
  | { readonly status: 'accepted' }
  | { readonly status: 'already_completed' }
  | { readonly status: 'expired' }
  | { readonly status: 'unknown_tool_call'; readonly reason: UnknownCallReason };

export type InterruptAnswer = InterruptResult;
export type AbortAnswer = AbortResult;

export interface Health {
  readonly status: 'ok' | 'draining';
  readonly service?: string | undefined;
}

/** Every refusal. Branch on `code`; `error` is for people. */
export interface ErrorAnswer {
  readonly error: string;
  readonly code: string;
  readonly details?: readonly Issue[] | undefined;
}

/** Data of the `end` event of a stream: how its session stands. */
export interface StreamEnd {
  readonly sessionId: string;
  readonly status: SessionStatus | 'deleted';
  readonly runStatus?: RunStatus;
  readonly runId?: string;
  readonly output?: JsonValue;
  readonly error?: StoredError;
  /** Calls that wait for a person. */
  readonly toolCallIds?: readonly string[];
  /** Number of the last chunk. */
  readonly sequence: number;
}

/** Data of the `truncated` event: the log no longer reaches back to where the reader was. */
export interface StreamTruncated {
  readonly after: number;
  readonly firstAvailable: number;
}
