/** What became of one try to say something; `unheard`: the reply was lost, or the store was down. */
export type Heard =
  | 'accepted'
  | 'already_completed'
  | 'expired'
  | 'unknown_tool_call'
  | 'refused'
  | 'unheard';

/** One answer to one call, however often it was sent. */
export interface SaidAnswer {
  readonly sessionId: string;
  readonly toolCallId: string;
  /** Is in the answer, and in no other. */
  readonly token: string;
  readonly kind: 'result' | 'approval' | 'denial';
  readonly heard: Heard[];
}

/** One user message, however often it was sent. */
export interface SaidMessage {
  readonly sessionId: string;
  readonly text: string;
  isTaken: boolean;
  tries: number;
}

/** All that persons said, and what they heard. */
export interface Said {
  readonly answers: SaidAnswer[];
  readonly messages: SaidMessage[];
  /** Replies other than success, by what they said. */
  readonly refusals: Map<string, number>;
  /** Replies that no fault excuses. */
  readonly faults: string[];
}

export function newSaid(): Said {
  return { answers: [], messages: [], refusals: new Map(), faults: [] };
}
