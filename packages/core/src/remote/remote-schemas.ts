import { z } from 'zod';
import type { AbortResult } from '../engine/human/abort.ts';
import type { InterruptResult } from '../engine/human/interrupt.ts';
import type { SubmitOutcome } from '../engine/human/submit.ts';
import type { JsonValue } from '../json.ts';
import type { RemoteOpenCall, RemoteRun, RemoteStatus } from './remote-agent-transport.ts';

// What another server answers, as far as it is read. Built when first used.

const json = (): z.ZodType<JsonValue> => z.unknown() as unknown as z.ZodType<JsonValue>;
const id = (): z.ZodType<string> => z.string().min(1).max(256);

export const RunReply: z.ZodType<RemoteRun> = z.lazy(() =>
  z.object({ sessionId: id(), runId: z.string().max(256) }),
);

const OpenCallReply: z.ZodType<RemoteOpenCall> = z.lazy(() =>
  z.object({
    toolCallId: id(),
    kind: z.enum(['client', 'approval']),
    toolName: id(),
    input: json(),
    rawInput: json().optional(),
    approvalId: z.string().max(1_024).nullable(),
    agentType: id(),
    openedAt: z.number(),
    deadlineAt: z.number().nullable(),
  }),
);

export const StatusReply: z.ZodType<RemoteStatus> = z.lazy(() =>
  z.object({
    sessionId: id(),
    runId: z.string().max(256),
    runStatus: z.enum([
      'running',
      'completed',
      'failed',
      'interrupted',
      'suspended_client_tool',
      'suspended_awaiting_children',
      'suspended_step_partial',
    ]),
    output: json(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    openCalls: z.array(OpenCallReply),
    streamSequence: z.number().int().nonnegative(),
  }),
);

export const SubmitReply: z.ZodType<SubmitOutcome> = z.lazy(() =>
  z.discriminatedUnion('status', [
    z.object({ status: z.literal('accepted') }),
    z.object({ status: z.literal('already_completed') }),
    z.object({ status: z.literal('expired') }),
    z.object({
      status: z.literal('unknown_tool_call'),
      reason: z.enum(['session_not_found', 'call_not_found', 'cancelled', 'superseded']),
    }),
  ]),
);

export const InterruptReply: z.ZodType<InterruptResult> = z.lazy(() =>
  z.discriminatedUnion('status', [
    z.object({ status: z.literal('requested'), runId: z.string() }),
    z.object({ status: z.literal('interrupted'), runId: z.string() }),
    z.object({ status: z.literal('too_late') }),
  ]),
);

export const AbortReply: z.ZodType<AbortResult> = z.lazy(() =>
  z.object({ status: z.enum(['aborted', 'too_late']) }),
);

/** A refusal. */
export const ErrorReply: z.ZodType<{ readonly error: string; readonly code: string }> = z.lazy(() =>
  z.object({ error: z.string(), code: z.string() }),
);
