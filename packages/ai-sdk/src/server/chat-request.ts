import type { JsonValue, MessageFile, UserMessage } from '@helix-agents/core';
import { DEFAULT_BODY_LIMITS, invalidRequest, parseValue, readJsonBody } from '@helix-agents/http';
import { z } from 'zod';

/** A part of a posted message: only the fields that the server reads; others are allowed. */
export interface PostedPart {
  readonly type: string;
  readonly text?: string | undefined;
  readonly url?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly filename?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly state?: string | undefined;
  readonly output?: unknown;
  readonly errorText?: string | undefined;
  readonly providerExecuted?: boolean | undefined;
  readonly preliminary?: boolean | undefined;
  readonly approval?: PostedDecision | undefined;
}

interface PostedDecision {
  readonly id: string;
  readonly approved?: boolean | undefined;
  readonly reason?: string | undefined;
}

export interface PostedMessage {
  readonly id?: string | undefined;
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly PostedPart[];
}

const text = z.string().optional();

const part: z.ZodType<PostedPart> = z.looseObject({
  type: z.string(),
  text,
  url: text,
  mediaType: text,
  filename: text,
  toolCallId: text,
  state: text,
  output: z.unknown().optional(),
  errorText: text,
  providerExecuted: z.boolean().optional(),
  preliminary: z.boolean().optional(),
  approval: z
    .looseObject({ id: z.string(), approved: z.boolean().optional(), reason: text })
    .optional(),
});

const message: z.ZodType<PostedMessage> = z.looseObject({
  id: z.string().max(256).optional(),
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(part).max(10_000),
});

const body = z.looseObject({
  id: z.string().optional(),
  sessionId: z.string().optional(),
  messages: z.array(z.unknown()).optional(),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  messageId: z.string().nullish(),
  /** Inputs a person edited before approving, by tool call id. */
  toolInputs: z.record(z.string(), z.json()).optional(),
});

export interface ChatPost {
  readonly sessionId: string;
  readonly last: PostedMessage;
  readonly trigger: 'submit-message' | 'regenerate-message';
  readonly toolInputs: { readonly [toolCallId: string]: JsonValue };
}

/** The request itself, or a body that was already read from it. */
export interface ChatPostSource {
  readonly sessionId?: string;
  readonly messages?: readonly unknown[];
  readonly body?: unknown;
  readonly request?: Request;
}

/** Reads what `useChat` posts. Only the last message is read: the transcript comes from the store. */
export async function readChatPost(source: ChatPostSource, maxBytes?: number): Promise<ChatPost> {
  const given = source.body === undefined ? await bodyOf(source.request, maxBytes) : source.body;
  const parsed = parseValue(body, given);
  const sessionId = source.sessionId ?? parsed.sessionId ?? parsed.id;
  if (!sessionId) throw invalidRequest('id', 'the id of the chat is missing');
  const messages = source.messages?.length ? source.messages : (parsed.messages ?? []);
  const last = messages.at(-1);
  if (last === undefined) throw invalidRequest('messages', 'send at least the last message');
  return {
    sessionId,
    last: parseValue(message, last, { at: `messages.${messages.length - 1}` }),
    trigger: parsed.trigger ?? 'submit-message',
    toolInputs: parsed.toolInputs ?? {},
  };
}

/** What a person wrote, for the transcript. */
export function toUserMessage(posted: PostedMessage): UserMessage {
  const files: MessageFile[] = posted.parts.flatMap(({ type, url, mediaType, filename }) =>
    type === 'file' && url !== undefined && mediaType !== undefined
      ? [{ data: url, mediaType, ...(filename !== undefined && { filename }) }]
      : [],
  );
  const content = posted.parts
    .flatMap((one) => (one.type === 'text' && one.text ? [one.text] : []))
    .join('\n');
  if (content === '' && files.length === 0) {
    throw invalidRequest('messages', 'the last message has neither text nor files');
  }
  return {
    role: 'user',
    ...(posted.id ? { id: posted.id } : {}),
    content,
    ...(files.length > 0 && { files }),
  };
}

async function bodyOf(request: Request | undefined, maxBytes?: number): Promise<unknown> {
  if (!request || request.bodyUsed) return {};
  const limits = { ...DEFAULT_BODY_LIMITS, ...(maxBytes !== undefined && { maxBytes }) };
  const read = await readJsonBody(request.body, null, limits);
  if (!read.ok) throw invalidRequest('body', read.fault);
  return read.value;
}
