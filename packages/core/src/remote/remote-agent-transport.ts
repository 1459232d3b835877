import type { SubmitToolResult } from '../define/submit-schema.ts';
import type { AbortResult } from '../engine/human/abort.ts';
import type { InterruptResult } from '../engine/human/interrupt.ts';
import type { SubmitOutcome } from '../engine/human/submit.ts';
import type { JsonValue } from '../json.ts';
import type { OpenCallKind, RunStatus, StoredError } from '../store/rows.ts';
import type { StreamChunk } from '../stream/chunks.ts';

/** What a remote agent is started with. The same again is the same session. */
export interface RemoteStart {
  /** Chosen here, so that a repeat names the same session. */
  readonly sessionId: string;
  readonly agentType: string;
  readonly message: string;
}

/** A run on another server. */
export interface RemoteRun {
  readonly sessionId: string;
  readonly runId: string;
}

/** A question to a person, on another server. */
export interface RemoteOpenCall {
  readonly toolCallId: string;
  readonly kind: OpenCallKind;
  readonly toolName: string;
  readonly input: JsonValue;
  /** What a person edits instead, where the tool's schema changes types. */
  readonly rawInput?: JsonValue | undefined;
  readonly approvalId: string | null;
  /** The agent that asks. */
  readonly agentType: string;
  readonly openedAt: number;
  /** By the clock of that server. */
  readonly deadlineAt: number | null;
}

/** How a session on another server stands. */
export interface RemoteStatus {
  readonly sessionId: string;
  readonly runId: string;
  readonly runStatus: RunStatus;
  readonly output: JsonValue;
  readonly error: StoredError | null;
  /** The oldest, at most a hundred. */
  readonly openCalls: readonly RemoteOpenCall[];
  /** Number of the newest chunk of its stream. */
  readonly streamSequence: number;
}

export type RemoteEvent =
  | { readonly type: 'chunk'; readonly sequence: number; readonly chunk: StreamChunk }
  /** A chunk that is too large, or of a kind that is not known here. */
  | { readonly type: 'omitted'; readonly sequence: number }
  /** Nothing runs there: it has ended, or waits. Ask for its status. */
  | { readonly type: 'end' };

/** An answer of a person here for a call there. Sent again with its `submissionId` it is `accepted` again. */
export type RemoteSubmission = SubmitToolResult & {
  readonly submissionId: string;
  /** Who answered, here. */
  readonly answeredBy?: string;
};

export interface RemoteRequestOptions {
  readonly signal?: AbortSignal;
}

/**
 * The way to agents on another server. Each request may be sent again after a failure: a repeat finds what the first one
 * did. Failures are `RemoteUnreachableError` (try later), `RemoteRefusedError` and `RemoteReplyError` (do not).
 */
export interface RemoteAgentTransport {
  /** Creates the session, or finds it as it was started before. */
  start(request: RemoteStart, options?: RemoteRequestOptions): Promise<RemoteRun>;
  /** Null: there is no such session, or none of ours. */
  status(sessionId: string, options?: RemoteRequestOptions): Promise<RemoteStatus | null>;
  /** Chunks after a number, then live, then `end`. A connection that breaks before it throws. */
  stream(
    sessionId: string,
    options?: RemoteRequestOptions & { readonly after?: number },
  ): AsyncIterable<RemoteEvent>;
  /** One durable write there. It does not run the agent: resume after it. */
  submit(submission: RemoteSubmission, options?: RemoteRequestOptions): Promise<SubmitOutcome>;
  /** With `runId` after that run alone. Null: it has ended. */
  resume(
    request: { readonly sessionId: string; readonly runId?: string },
    options?: RemoteRequestOptions,
  ): Promise<RemoteRun | null>;
  /** With `runId` that run alone. */
  interrupt(
    request: { readonly sessionId: string; readonly runId?: string; readonly reason?: string },
    options?: RemoteRequestOptions,
  ): Promise<InterruptResult>;
  /** For good: nothing runs under this id afterwards, also where it did not exist. */
  abort(
    request: { readonly sessionId: string; readonly reason?: string },
    options?: RemoteRequestOptions,
  ): Promise<AbortResult>;
}
