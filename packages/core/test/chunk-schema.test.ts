import { describe, expect, it } from 'vitest';
import {
  BaseChunkSchema,
  type ChunkType,
  type RunStatus,
  StreamChunkSchema,
  StreamMessageSchema,
} from '../src/index.ts';
import type { ChunkBodies } from '../src/stream/chunks.ts';

const base = { agentId: 's', agentType: 'a', timestamp: 1, step: 2 };
const call = { toolCallId: 'c', toolName: 't' };
const child = { subSessionId: 's-1', subAgentType: 'b', toolCallId: 'c' };

/** Each type with every field it may have, and with those it must have. */
const samples: {
  [Type in ChunkType]: readonly [Required<ChunkBodies[Type]>, ChunkBodies[Type]?];
} = {
  text_delta: [{ delta: 'x' }],
  thinking: [{ content: 'x', isComplete: false }],
  tool_arg_stream_start: [call],
  tool_arg_stream_delta: [{ toolCallId: 'c', delta: '{' }],
  tool_arg_stream_end: [{ toolCallId: 'c' }],
  tool_start: [
    { ...call, arguments: { a: [1] }, execute: 'client', deadlineAt: null },
    { ...call, arguments: null },
  ],
  tool_end: [
    { ...call, success: false, result: null, error: 'e', errorCode: 'tool_timeout' },
    { ...call, success: true },
  ],
  tool_error: [{ ...call, error: 'e', errorCode: 'tool_approval_denied' }],
  tool_approval_request: [
    { ...call, approvalId: 'r::c', input: false, rawInput: 'no', deadlineAt: 5 },
    { ...call, approvalId: 'r::c', input: '' },
  ],
  subagent_start: [child],
  subagent_end: [
    { ...child, success: true, result: { a: 1 }, error: 'e' },
    { ...child, success: true },
  ],
  state_patch: [
    {
      patches: [
        { op: 'add', path: '/a/-', value: 1 },
        { op: 'replace', path: '/b', value: null },
        { op: 'remove', path: '/c' },
      ],
      writes: [
        { op: 'append', path: ['a'], values: [1] },
        { op: 'set', path: ['b', 0], value: null },
        { op: 'remove', path: ['c'] },
      ],
    },
    { patches: [] },
  ],
  custom: [{ name: 'skill_loaded', data: { name: 'x' } }],
  error: [{ message: 'm', code: 'provider_error', category: 'provider', retryable: false }],
  output: [{ output: { answer: 1 } }],
  run_started: [{ runId: 'r', turn: 1 }],
  run_resumed: [{ runId: 'r', turn: 2, previousRunId: null }],
  run_suspended: [{ runId: 'r', status: 'suspended_client_tool', toolCallIds: ['c'] }],
  run_interrupted: [{ runId: 'r', reason: null }],
  run_completed: [{ runId: 'r' }],
  run_failed: [{ runId: 'r', code: 'run_failed', message: 'm' }],
  step_committed: [{ version: 1, messageCount: 2 }],
  step_stopped: [{ reason: null }],
  step_discarded: [{ reason: 'repeated' }],
  stream_resync: [{ reason: 'r', details: { a: 1 } }, { reason: 'r' }],
};

describe('StreamChunkSchema', () => {
  it.each(Object.entries(samples))('takes %s as it is', (type, bodies) => {
    for (const body of bodies) {
      const chunk = { type, ...base, ...body };
      expect(StreamChunkSchema.parse(chunk)).toEqual(chunk);
      expect(BaseChunkSchema.parse(chunk)).toEqual(chunk);
      expect(StreamMessageSchema.parse({ sequence: 1, chunk })).toEqual({ sequence: 1, chunk });
    }
  });

  it.each(Object.entries(samples))('refuses %s without one of its fields', (type, bodies) => {
    const least = { type, ...base, ...bodies.at(-1) };
    for (const field of Object.keys(least)) {
      const { [field]: _left, ...rest } = least as { [key: string]: unknown };
      expect(StreamChunkSchema.safeParse(rest).success).toBe(false);
    }
  });

  it('takes every status a run can have', () => {
    const statuses: Record<RunStatus, true> = {
      running: true,
      completed: true,
      failed: true,
      interrupted: true,
      suspended_client_tool: true,
      suspended_awaiting_children: true,
      suspended_step_partial: true,
    };
    for (const status of Object.keys(statuses)) {
      const chunk = { type: 'run_suspended', ...base, runId: 'r', status, toolCallIds: [] };
      expect(StreamChunkSchema.parse(chunk)).toEqual(chunk);
    }
  });

  it('refuses a type it does not know and a number that is none', () => {
    expect(StreamChunkSchema.safeParse({ type: 'other', ...base }).success).toBe(false);
    const chunk = { type: 'text_delta', ...base, delta: 'x' };
    expect(StreamMessageSchema.safeParse({ sequence: 0, chunk }).success).toBe(false);
  });
});
