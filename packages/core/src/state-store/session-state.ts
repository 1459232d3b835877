import { systemClock } from '../host/system-clock.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Answerer } from '../store/answerer.ts';
import type {
  CallAnswer,
  CallOutcomeName,
  OpenCallKind,
  RunStatus,
  SessionRow,
  StoredError,
} from '../store/rows.ts';

/** The public status of a session. It is `active` while it runs and while it waits for a person. */
export type SessionStatus = 'active' | 'interrupted' | 'completed' | 'failed';

/** A human call that is open, or answered and not yet taken in. */
export interface PendingClientToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly kind: OpenCallKind;
  /** The value that runs, or its JSON form. */
  readonly input: JsonValue;
  /** As the model gave it, where that is something else. */
  readonly rawInput?: JsonValue;
  readonly approvalId: string | null;
  readonly deadlineAt: number | null;
  readonly openedAt: number;
  readonly submittedAt?: number;
  readonly outcome?: CallOutcomeName;
  readonly response?: CallAnswer;
}

export interface CompletedClientToolCall extends Answerer {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly outcome: CallOutcomeName | null;
  readonly completedAt: number;
}

/** What a suspended session needs to continue. */
export interface SuspensionContext {
  readonly suspendedStepId: number;
  /** Sub-sessions whose calls it waits for. */
  readonly suspendedAwaitingChildren: readonly string[];
  /** Who and what the run is traced as. */
  readonly tracingContext: {
    readonly userId: string | null;
    readonly tags: readonly string[];
    readonly metadata: JsonObject;
  };
  /** The earliest deadline of the calls of its own. */
  readonly expiresAt: number | null;
  readonly failureReason: string | null;
}

/**
 * A session as one value, put together from its rows. `customState`, `output`, `userId`, `tags` and `metadata` may be
 * changed and saved, and so may `status`, as `compareAndSetStatus` would move it, and the `failureReason` of a session that failed;
 * everything else is read-only.
 */
export interface SessionState<State = JsonValue> {
  readonly sessionId: string;
  readonly agentType: string;
  readonly streamId: string;
  readonly parentSessionId: string | null;
  readonly rootSessionId: string;
  /** Null before the first run. */
  readonly runId: string | null;
  /** The step in progress; counts over the whole session. */
  readonly stepId: number;
  /** Steps since the last user input. */
  readonly stepCount: number;
  readonly messageCount: number;
  status: SessionStatus;
  readonly runStatus: RunStatus;
  output: JsonValue | null;
  readonly error: StoredError | null;
  failureReason: string | null;
  readonly aborted: boolean;
  readonly abortReason: string | null;
  customState: State;
  userId: string | null;
  tags: string[];
  metadata: JsonObject;
  readonly version: number;
  readonly resumeCount: number;
  /** Calls this session waits for, by tool call id. */
  readonly pendingClientToolCalls: { readonly [toolCallId: string]: PendingClientToolCall };
  /** Calls that are over and within their retention: of the whole tree at the root, its own at a sub-session. */
  readonly completedClientToolCalls: { readonly [toolCallId: string]: CompletedClientToolCall };
  /** At the root: which session of the tree each pending call belongs to. */
  readonly clientToolCallOwnership: { readonly [toolCallId: string]: string };
  /** Null unless it waits. */
  readonly suspensionContext: SuspensionContext | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export function publicStatus(status: RunStatus): SessionStatus {
  switch (status) {
    case 'interrupted':
    case 'completed':
    case 'failed':
      return status;
    case 'running':
    case 'suspended_client_tool':
    case 'suspended_awaiting_children':
    case 'suspended_step_partial':
      return 'active';
  }
}

/** Open calls without an answer whose deadline has passed, at the given time or now. */
export function findExpiredPending(
  state: Pick<SessionState<unknown>, 'pendingClientToolCalls'>,
  now: number = systemClock.now(),
): PendingClientToolCall[] {
  return Object.values(state.pendingClientToolCalls).filter(
    (call) => call.submittedAt === undefined && call.deadlineAt !== null && call.deadlineAt <= now,
  );
}

/** Host kind of sessions that are created or moved by hand: no engine owns them, no sweep looks at them. */
export const MANUAL_HOST = 'manual';

export function isManual(session: Pick<SessionRow, 'hostKind'>): boolean {
  return session.hostKind === MANUAL_HOST;
}
