import type { JsonObject, JsonValue } from '../json.ts';
import type { StateWrite } from '../state/state-write.ts';
import type { RunStatus } from '../store/rows.ts';

/** On every chunk. `agentId` is the session that speaks, `step` its step id. */
export interface BaseChunk {
  readonly agentId: string;
  readonly agentType: string;
  readonly timestamp: number;
  readonly step: number;
}

/** What each chunk type carries besides the base. */
export interface ChunkBodies {
  text_delta: { readonly delta: string };
  thinking: { readonly content: string; readonly isComplete: boolean };
  tool_arg_stream_start: { readonly toolCallId: string; readonly toolName: string };
  tool_arg_stream_delta: { readonly toolCallId: string; readonly delta: string };
  /** Never sent by the engine: the `tool_start` of a call has its whole input. */
  tool_arg_stream_end: { readonly toolCallId: string };
  tool_start: {
    readonly toolCallId: string;
    readonly toolName: string;
    /** As the tool's schema read them: what runs. */
    readonly arguments: JsonValue;
    /** Present on a client tool: a client is asked to run it until then. */
    readonly execute?: 'client';
    readonly deadlineAt?: number | null;
  };
  tool_end: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly success: boolean;
    readonly result?: JsonValue;
    readonly error?: string;
    readonly errorCode?: string;
  };
  tool_error: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly error: string;
    readonly errorCode: string;
  };
  tool_approval_request: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly approvalId: string;
    /** The value that runs if it is approved. */
    readonly input: JsonValue;
    /** What a person edits instead, where the schema changes types: an edit is checked as the model's input is. */
    readonly rawInput?: JsonValue;
    readonly deadlineAt?: number | null;
  };
  subagent_start: {
    readonly subSessionId: string;
    readonly subAgentType: string;
    readonly toolCallId: string;
  };
  subagent_end: {
    readonly subSessionId: string;
    readonly subAgentType: string;
    readonly toolCallId: string;
    readonly success: boolean;
    readonly result?: JsonValue;
    readonly error?: string;
  };
  state_patch: { readonly patches: readonly JsonPatch[]; readonly writes?: readonly StateWrite[] };
  custom: { readonly name: string; readonly data: JsonValue };
  error: {
    readonly message: string;
    readonly code: string;
    readonly category: string;
    readonly retryable: boolean;
  };
  output: { readonly output: JsonValue };
  run_started: { readonly runId: string; readonly turn: number };
  run_resumed: {
    readonly runId: string;
    readonly turn: number;
    readonly previousRunId: string | null;
  };
  run_suspended: {
    readonly runId: string;
    readonly status: RunStatus;
    readonly toolCallIds: readonly string[];
  };
  run_interrupted: { readonly runId: string; readonly reason: string | null };
  run_completed: { readonly runId: string };
  run_failed: { readonly runId: string; readonly code: string; readonly message: string };
  step_committed: { readonly version: number; readonly messageCount: number };
  /** The model was stopped: its text of this step stays, calls whose input was under way do not. */
  step_stopped: { readonly reason: string | null };
  /** Withdraws every chunk of this agent and step that came before it. */
  step_discarded: { readonly reason: string };
  stream_resync: { readonly reason: string; readonly details?: JsonObject };
}

/** RFC 6902. */
export type JsonPatch =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

export type ChunkType = keyof ChunkBodies;
export type ChunkOf<T extends ChunkType> = BaseChunk & { readonly type: T } & ChunkBodies[T];
export type StreamChunk = { [T in ChunkType]: ChunkOf<T> }[ChunkType];
