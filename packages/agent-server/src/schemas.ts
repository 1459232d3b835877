import { SESSION_LIMITS, type JsonValue } from '@helix-agents/core';
import { MESSAGE_MARKERS, SESSION_MARKERS } from '@helix-agents/core/host';
import { boundedArray, boundedRecord } from '@helix-agents/http';
import { z } from 'zod';
import { withoutMarkers } from './markers.ts';
import type * as wire from './wire.ts';

// Requests are parsed by these; the OpenAPI document is made of them and of what answers look like.

const MAX_ID_LENGTH = 256;

/** An id is a key in every store, and a header. Written so that other languages can read it in the document. */
// oxlint-disable-next-line no-control-regex
const NO_CONTROLS = /^[^\u0000-\u001f\u007f-\u009f]+$/;

const Name = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  .regex(NO_CONTROLS, 'must not contain control characters')
  .refine((value) => value.isWellFormed(), 'must not contain broken surrogates');
const Reason = z.string().max(1_024);
/** What was parsed from JSON is JSON. */
const Json = z.unknown() as unknown as z.ZodType<JsonValue>;
const JsonRecord = z.record(z.string(), Json);
/** Of a state at its top. Its size in bytes is the executor's to check, like that of metadata. */
const MAX_STATE_ENTRIES = 10_000;
const MAX_CHAT_MESSAGES = 10_000;
const Metadata = boundedRecord(Json, SESSION_LIMITS.metadataEntries);

export const SessionId: z.ZodType<string> = Name;

const UserMessage: z.ZodType<wire.WireUserMessage> = z.object({
  role: z.literal('user'),
  id: Name.optional(),
  content: z.string(),
  files: boundedArray(
    z.object({ data: z.string(), mediaType: z.string(), filename: z.string().optional() }),
    { max: SESSION_LIMITS.files },
  ).optional(),
  metadata: withoutMarkers(Metadata, MESSAGE_MARKERS).optional(),
});
const InputMessage = z.union([
  z.string().min(1),
  boundedArray(UserMessage, { min: 1, max: SESSION_LIMITS.messages }),
]);

export const StartRequest: z.ZodType<wire.StartRequest> = z.object({
  sessionId: SessionId.optional().describe('Leave it out: the server issues one.'),
  agentType: Name,
  message: InputMessage,
  state: boundedRecord(Json, MAX_STATE_ENTRIES).optional(),
  metadata: withoutMarkers(
    boundedRecord(z.string(), SESSION_LIMITS.metadataEntries),
    SESSION_MARKERS,
  ).optional(),
  tags: boundedArray(Name, { max: SESSION_LIMITS.tags }).optional(),
  notAfter: z
    .number()
    .optional()
    .describe('With x-helix-protocol: refused after this time, by the clock of the server.'),
});

export const ResumeRequest: z.ZodType<wire.ResumeRequest> = z.object({
  sessionId: SessionId,
  runId: Name.optional().describe('With x-helix-protocol: goes on after this run alone.'),
  message: InputMessage.optional().describe('A new turn, or a message instead of answers.'),
  onMessageWhileSuspended: z.enum(['reject', 'supersede']).optional(),
  retry: z.boolean().optional().describe('Start a failed session again where it failed.'),
});

export const StopRequest: z.ZodType<wire.StopRequest> = z.object({
  sessionId: SessionId,
  runId: Name.optional().describe('Stops this run alone.'),
  reason: Reason.optional(),
});

export interface ChatStopRequest {
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
  readonly reason?: string | undefined;
}

export const ChatStopRequest: z.ZodType<ChatStopRequest> = z.object({
  sessionId: SessionId.optional(),
  runId: Name.optional().describe('Stops this run alone.'),
  reason: Reason.optional(),
});

/** Messages of the AI SDK and whatever else its transport sends: the chat handler reads them. */
export interface ChatRequest {
  readonly id?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly messages: readonly object[];
}

export const ChatRequest: z.ZodType<ChatRequest> = z.looseObject({
  id: SessionId.optional(),
  sessionId: SessionId.optional(),
  messages: boundedArray(z.looseObject({}), { max: MAX_CHAT_MESSAGES }).default([]),
});

export const SessionQuery: z.ZodType<{ readonly sessionId: string }> = z.object({
  sessionId: SessionId,
});

const WholeNumber = z.string().regex(/^[0-9]{1,15}$/, 'must be a whole number');
const Count = WholeNumber.transform(Number);
const Limit = z
  .string()
  .regex(/^([1-9][0-9]?|1[0-9]{2}|200)$/, 'must be a number from 1 to 200')
  .transform(Number);
const Cursor = z.string().min(1).max(2_048);

export interface SseQuery {
  readonly sessionId: string;
  readonly after?: number | undefined;
}

export const SseQuery: z.ZodType<SseQuery> = z.object({
  sessionId: SessionId,
  after: Count.optional().describe(
    'Only chunks after this number. The header Last-Event-ID wins over it.',
  ),
});

const RunStatus = z.enum([
  'running',
  'completed',
  'failed',
  'interrupted',
  'suspended_client_tool',
  'suspended_awaiting_children',
  'suspended_step_partial',
]);

export const SessionsQuery: z.ZodType<wire.SessionsQuery> = z.object({
  status: z
    .enum(['active', ...RunStatus.options])
    .optional()
    .describe('active: running or waiting for a person'),
  agentType: Name.optional(),
  userId: Name.optional(),
  tag: Name.optional(),
  limit: Limit.optional(),
  cursor: Cursor.optional(),
});

export const SessionDetailQuery: z.ZodType<wire.SessionDetailQuery> = z.object({
  messagesOffset: Count.optional(),
  messagesLimit: Limit.optional(),
});

const CallKind = z.enum(['client', 'approval']);

export const OpenCallsQuery: z.ZodType<wire.OpenCallsQuery> = z.object({
  sessionId: SessionId.optional(),
  userId: Name.optional(),
  agentType: Name.optional(),
  kind: CallKind.optional(),
  toolName: Name.optional(),
  dueBefore: Count.optional(),
  limit: Limit.optional(),
  cursor: Cursor.optional(),
});

// What answers look like.

const Time = z.number().describe('Milliseconds since 1970.');
const AnyObject = z.record(z.string(), z.unknown());

const started = { sessionId: z.string(), streamId: z.string(), runId: z.string() };
export const RunStarted: z.ZodType<wire.RunStarted> = z.object(started);
export const SessionStarted: z.ZodType<wire.SessionStarted> = z.object({
  ...started,
  created: z.boolean().describe('False: it was started before, and this is its run.'),
  token: z.string().optional().describe('Opens this session only; where the server issues tokens.'),
  expiresAt: Time.optional(),
});

const OpenCall: z.ZodType<wire.OpenCallView> = z.object({
  sessionId: z.string().describe('The root session: submit to it.'),
  toolCallId: z.string(),
  kind: CallKind,
  toolName: z.string(),
  input: Json.describe('The value that runs, or its JSON form.'),
  rawInput: Json.optional().describe(
    'What a person edits instead, where the schema of the tool changes types.',
  ),
  approvalId: z.string().nullable(),
  agentType: z.string(),
  ownerSessionId: z.string(),
  userId: z.string().nullable(),
  openedAt: Time,
  deadlineAt: Time.nullable(),
});
const NextCursor = z.string().nullable().describe('Of the next page; null: this is the last.');
export const OpenCallsPage: z.ZodType<wire.WirePage<wire.OpenCallView>> = z.object({
  items: z.array(OpenCall),
  cursor: NextCursor,
});

const session = {
  sessionId: z.string(),
  rootSessionId: z.string(),
  agentType: z.string(),
  status: z.enum(['active', 'interrupted', 'completed', 'failed']),
  runStatus: RunStatus,
  runId: z.string(),
  streamId: z.string(),
  turn: z.number(),
  stepCount: z.number(),
  messageCount: z.number(),
  userId: z.string().nullable(),
  tags: z.array(z.string()),
  metadata: JsonRecord,
  output: Json,
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  createdAt: Time,
  updatedAt: Time,
};
const { output: _output, ...summary } = session;
export const SessionsPage: z.ZodType<wire.WirePage<wire.SessionSummary>> = z.object({
  items: z.array(z.object(summary)),
  cursor: NextCursor,
});

const status = {
  ...session,
  awaitingClientTool: z.boolean().describe('Somebody has to answer a call.'),
  openCalls: z.array(OpenCall),
  streamSequence: z.number().describe('Number of the newest chunk.'),
};
export const SessionStatus: z.ZodType<wire.SessionStatusView> = z.object(status);
export const SessionDetail: z.ZodType = z.object({
  ...status,
  state: Json,
  messages: z.object({ messages: z.array(AnyObject), total: z.number(), hasMore: z.boolean() }),
  runs: z.array(AnyObject),
});

/** Of the chat handler, which may add to it. */
export const ChatSnapshot: z.ZodType = z.looseObject({
  sessionId: z.string(),
  messages: z.array(AnyObject).describe('UI messages of the AI SDK'),
  streamSequence: z.number().describe('Number of the last chunk that is in `messages`.'),
  status: z.string(),
});

export const InterruptAnswer: z.ZodType = z.object({
  status: z.enum(['requested', 'interrupted', 'too_late']),
  runId: z.string().optional(),
});
export const AbortAnswer: z.ZodType<wire.AbortAnswer> = z.object({
  status: z.enum(['aborted', 'too_late']),
});

export const SubmitTaken: z.ZodType = z.object({
  status: z.enum(['accepted', 'already_completed']),
});
export const SubmitExpired: z.ZodType = z.object({ status: z.literal('expired') });
export const SubmitUnknown: z.ZodType = z.object({
  status: z.literal('unknown_tool_call'),
  reason: z.enum(['session_not_found', 'call_not_found', 'cancelled', 'superseded']),
});

export const Health: z.ZodType<wire.Health> = z.object({
  status: z.enum(['ok', 'draining']),
  service: z.string().optional(),
});

export const ErrorAnswer: z.ZodType<wire.ErrorAnswer> = z.looseObject({
  error: z.string().describe('For people.'),
  code: z.string().describe('For programs.'),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
