import { z } from 'zod';
import type { JsonObject, JsonValue } from '../json.ts';
import type { StatePath, StateWrite } from '../state/state-write.ts';
import type { RunStatus } from '../store/rows.ts';
import type { BaseChunk, ChunkBodies, ChunkType, JsonPatch, StreamChunk } from './chunks.ts';
import type { StoredChunk } from './stream-manager.ts';

/** Every key of a type with a schema of exactly that key; an optional key has an optional schema. */
type ShapeOf<T> = { readonly [Key in keyof T]-?: z.ZodType<T[Key]> };

// Built when first used: whoever imports core pays for none of it, and few programs check chunks.

/** What every chunk has; the fields of its type are not looked at. */
export const BaseChunkSchema: z.ZodType<BaseChunk & { readonly type: string }> = z.lazy(() =>
  z.looseObject({ type: z.string(), ...baseShape() }),
);

/** Every chunk there is, by `type`. Fields it does not know are left out. */
export const StreamChunkSchema: z.ZodType<StreamChunk> = z.lazy(() => {
  const base = baseShape();
  const members = Object.entries(bodyShapes()).map(([type, body]) =>
    z.object({ type: z.literal(type), ...base, ...body }),
  );
  return z.discriminatedUnion('type', members as never);
});

/** A numbered chunk, as readers that resume are sent it. */
export const StreamMessageSchema: z.ZodType<StoredChunk> = z.lazy(() =>
  z.object({ sequence: z.number().int().positive(), chunk: StreamChunkSchema }),
);

function baseShape(): ShapeOf<BaseChunk> {
  return { agentId: z.string(), agentType: z.string(), timestamp: z.number(), step: z.number() };
}

function bodyShapes(): { readonly [Type in ChunkType]: ShapeOf<ChunkBodies[Type]> } {
  const { text, json, record, deadline, status, patch, write } = fieldSchemas();
  return {
    text_delta: { delta: text },
    thinking: { content: text, isComplete: z.boolean() },
    tool_arg_stream_start: { toolCallId: text, toolName: text },
    tool_arg_stream_delta: { toolCallId: text, delta: text },
    tool_arg_stream_end: { toolCallId: text },
    tool_start: {
      toolCallId: text,
      toolName: text,
      arguments: json,
      execute: z.literal('client').optional(),
      deadlineAt: deadline,
    },
    tool_end: {
      toolCallId: text,
      toolName: text,
      success: z.boolean(),
      result: json.optional(),
      error: text.optional(),
      errorCode: text.optional(),
    },
    tool_error: { toolCallId: text, toolName: text, error: text, errorCode: text },
    tool_approval_request: {
      toolCallId: text,
      toolName: text,
      approvalId: text,
      input: json,
      rawInput: json.optional(),
      deadlineAt: deadline,
    },
    subagent_start: { subSessionId: text, subAgentType: text, toolCallId: text },
    subagent_end: {
      subSessionId: text,
      subAgentType: text,
      toolCallId: text,
      success: z.boolean(),
      result: json.optional(),
      error: text.optional(),
    },
    state_patch: { patches: z.array(patch), writes: z.array(write).optional() },
    custom: { name: text, data: json },
    error: { message: text, code: text, category: text, retryable: z.boolean() },
    output: { output: json },
    run_started: { runId: text, turn: z.number() },
    run_resumed: { runId: text, turn: z.number(), previousRunId: text.nullable() },
    run_suspended: { runId: text, status, toolCallIds: z.array(text) },
    run_interrupted: { runId: text, reason: text.nullable() },
    run_completed: { runId: text },
    run_failed: { runId: text, code: text, message: text },
    step_committed: { version: z.number(), messageCount: z.number() },
    step_stopped: { reason: text.nullable() },
    step_discarded: { reason: text },
    stream_resync: { reason: text, details: record.optional() },
  };
}

/** What the bodies are made of. */
function fieldSchemas() {
  const text: z.ZodType<string> = z.string();
  const json: z.ZodType<JsonValue> = z.json();
  const record: z.ZodType<JsonObject> = z.record(z.string(), z.json());
  const path: z.ZodType<StatePath> = z.array(z.union([z.string(), z.number()]));
  const deadline: z.ZodType<number | null | undefined> = z.number().nullable().optional();

  const status: z.ZodType<RunStatus> = z.enum([
    'running',
    'completed',
    'failed',
    'interrupted',
    'suspended_client_tool',
    'suspended_awaiting_children',
    'suspended_step_partial',
  ]);

  const patch: z.ZodType<JsonPatch> = z.discriminatedUnion('op', [
    z.object({ op: z.enum(['add', 'replace']), path: z.string(), value: json }),
    z.object({ op: z.literal('remove'), path: z.string() }),
  ]);

  const write: z.ZodType<StateWrite> = z.discriminatedUnion('op', [
    z.object({ op: z.literal('set'), path, value: json }),
    z.object({ op: z.literal('remove'), path }),
    z.object({ op: z.literal('append'), path, values: z.array(json) }),
  ]);
  return { text, json, record, deadline, status, patch, write };
}
