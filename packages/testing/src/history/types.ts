import type {
  JsonValue,
  Message,
  OpenCallRow,
  RunRow,
  SessionRow,
  StoredChunk,
  SubmitToolResult,
} from '@helix-agents/core';
import type { StreamStatus } from '@helix-agents/core/store';
import type {
  AnswerCall,
  CheckpointRow,
  ChildReferenceRow,
  CommitPlan,
  InterruptRow,
  JournalRow,
  MessageRow,
  RenewLease,
  ToolExecution,
} from '@helix-agents/core/store';

/**
 * Everything one schedule left behind. `at` is one rising number over all logs: what has the smaller one happened
 * first.
 */
export interface History {
  /** The rows when no process had anything left to do, before the open calls were answered. */
  readonly rest: StoreDump;
  /** The rows at the very end. */
  readonly end: StoreDump;
  readonly streams: readonly StreamDump[];
  readonly writes: readonly StoreWrite[];
  readonly appends: readonly StreamAppend[];
  readonly client: readonly ClientOperation[];
  readonly executions: readonly ToolStart[];
  readonly prompts: readonly Prompt[];
  readonly faults: readonly Fault[];
  readonly readers: readonly (readonly StoredChunk[])[];
  readonly facts: AgentFacts;
  /** What did not come to rest in time, if anything. */
  readonly stuck: readonly string[];
  readonly counts: { readonly steps: number; readonly virtualMs: number };
}

/** What the checker has to know about the agents that ran. */
export interface AgentFacts {
  readonly maxSteps: number;
  /** By tool name. */
  readonly tools: Readonly<Record<string, ToolFacts>>;
  readonly databases: 'one' | 'apart';
  readonly durability: 'call' | 'step';
  /** Fragment of text that only sessions of this root may hold, by root id. */
  readonly canaries: Readonly<Record<string, string>>;
}

export interface ToolFacts {
  readonly kind: 'server' | 'client' | 'gated' | 'finish';
  readonly execution: ToolExecution;
}

export interface StoreDump {
  readonly at: number;
  readonly now: number;
  readonly trees: readonly DumpedTree[];
}

export interface DumpedTree {
  readonly rootId: string;
  readonly sessions: readonly DumpedSession[];
  /** The rows at the root: the authority. */
  readonly calls: readonly OpenCallRow[];
}

export interface DumpedSession {
  readonly session: SessionRow;
  readonly interrupt: InterruptRow | null;
  readonly journal: readonly JournalRow[];
  readonly messages: readonly MessageRow[];
  readonly references: readonly ChildReferenceRow[];
  readonly runs: readonly RunRow[];
  readonly checkpoints: readonly CheckpointRow[];
  /** Rows of calls that pass through this session, in its own database. */
  readonly calls: readonly OpenCallRow[];
}

export interface StreamDump {
  readonly streamId: string;
  readonly status: StreamStatus | null;
  readonly chunks: readonly StoredChunk[];
}

/** One write that reached a database, in the order in which they were applied. */
export type StoreWrite = {
  readonly at: number;
  readonly process: string;
  /** Which database; one name where all sessions share one. */
  readonly database: string;
} & (
  | { readonly kind: 'commit'; readonly plan: CommitPlan; readonly applied: boolean }
  | {
      readonly kind: 'answer';
      readonly input: AnswerCall;
      readonly taken: boolean;
      readonly row: OpenCallRow | null;
    }
  | { readonly kind: 'expire'; readonly rows: readonly OpenCallRow[] }
  | { readonly kind: 'purge'; readonly rootId: string; readonly now: number }
  | { readonly kind: 'interrupt'; readonly sessionId: string; readonly row: InterruptRow | null }
  | { readonly kind: 'renew'; readonly input: RenewLease; readonly owned: boolean }
);

export interface StreamAppend {
  readonly at: number;
  /** When it left its process. */
  readonly askedAt: number;
  readonly process: string;
  readonly streamId: string;
  readonly head: number;
}

/** What a caller asked for and the reply it got. `unknown`: its process died or the store's reply was lost. */
export interface ClientOperation {
  readonly at: number;
  readonly until: number | null;
  readonly process: string;
  readonly rootId: string;
  readonly request: ClientRequest;
  readonly outcome: ClientOutcome;
}

export type ClientRequest =
  | { readonly kind: 'execute'; readonly message: string; readonly supersede: boolean }
  | { readonly kind: 'submit'; readonly submission: SubmitToolResult }
  | { readonly kind: 'resume' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'abort' }
  | { readonly kind: 'sweep' };

export type ClientOutcome =
  | { readonly kind: 'ok'; readonly status: string; readonly runId?: string }
  /** A typed refusal: it had no effect. */
  | { readonly kind: 'error'; readonly code: string }
  | { readonly kind: 'unknown' };

/** A tool's own code began. */
export interface ToolStart {
  readonly at: number;
  readonly process: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly input: JsonValue;
}

export interface Prompt {
  readonly at: number;
  readonly process: string;
  readonly sessionId: string;
  readonly agentType: string;
  readonly messages: readonly Message[];
}

export interface Fault {
  readonly at: number;
  readonly kind: FaultKind;
  readonly process: string;
}

export const FAULT_KINDS = [
  'kill',
  'shutdown',
  'pause',
  'clock-jump',
  'store-before',
  'store-after',
  'model-error',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** A rule that does not hold. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}
