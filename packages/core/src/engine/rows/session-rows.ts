import type { Message } from '../../messages/message.ts';
import type {
  CheckpointRow,
  MessageRow,
  OpenCallRow,
  RunStatus,
  SessionRow,
  StepRecord,
} from '../../store/rows.ts';
import type { CallUpdate } from '../../store/commit-plan.ts';
import type { JsonValue } from '../../json.ts';
import { callKey } from '../../store/call-key.ts';

/** Rows for messages appended after those the session has. */
export function messageRows(
  session: Pick<SessionRow, 'sessionId' | 'messageCount'>,
  messages: readonly Message[],
  now: number,
): MessageRow[] {
  return messages.map((message, position) => ({
    sessionId: session.sessionId,
    sequence: session.messageCount + position + 1,
    message,
    createdAt: now,
  }));
}

/** What a step adds to the transcript before its results: the notes that the model read, and its answer. */
export function saidInStep({ notes = [], message }: StepRecord): Message[] {
  return [...notes, message];
}

/** Settles the row: its answer is in a transcript. It is kept until its retention is over. */
export function settleCall(row: OpenCallRow, now: number): CallUpdate {
  return {
    key: callKey(row),
    set: { state: 'settled', settledAt: now, purgeAt: now + row.retentionMs },
  };
}

export interface CheckpointInput {
  readonly session: SessionRow;
  /** The version that the commit raises the session to. */
  readonly version: number;
  readonly stepCount: number;
  readonly status: RunStatus;
  readonly messageCount: number;
  readonly customState: JsonValue;
  readonly streamSequence: number;
  readonly now: number;
  readonly suffix: string;
}

export function checkpointRow(input: CheckpointInput): CheckpointRow {
  const { session, stepCount, now, suffix } = input;
  return {
    sessionId: session.sessionId,
    version: input.version,
    checkpointId: `cpv1-${session.sessionId}-s${stepCount}-t${now}-${suffix}`,
    runId: session.runId,
    stepId: session.stepId,
    stepCount,
    status: input.status,
    messageCount: input.messageCount,
    customState: input.customState,
    streamSequence: input.streamSequence,
    timestamp: now,
  };
}
