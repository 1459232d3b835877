/** A part of a message, as far as this page looks at it. */
export interface Part {
  readonly type: string;
  readonly id?: string;
  readonly text?: string;
  readonly data?: unknown;
  readonly url?: string;
  readonly mediaType?: string;
  readonly filename?: string;
  readonly toolCallId?: string;
  readonly state?: string;
  readonly input?: Record<string, unknown>;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly approval?: {
    readonly id: string;
    readonly approved?: boolean;
    readonly reason?: string;
  };
  readonly toolMetadata?: { readonly agentType: string; readonly agentId: string };
}

/** A part that is a tool call. */
export interface CallPart extends Part {
  readonly toolCallId: string;
  readonly state: string;
}

export interface ProgressData {
  readonly label: string;
  readonly done: number;
  readonly of: number;
}

export interface SubAgentData {
  readonly agentType: string;
  readonly sessionId: string;
  readonly status: 'running' | 'completed' | 'failed';
}
