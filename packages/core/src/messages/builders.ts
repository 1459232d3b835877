import type { CallOutcome } from '../store/rows.ts';
import type { JsonValue } from '../json.ts';
import type { AssistantMessage, Message, ToolErrorDetail, ToolMessage } from './message.ts';

/** An assistant message without its empty parts. */
export function createAssistantMessage(parts: {
  readonly content?: string | undefined;
  readonly toolCalls?: AssistantMessage['toolCalls'] | undefined;
  readonly thinking?: string | undefined;
  readonly providerMetadata?: AssistantMessage['providerMetadata'] | undefined;
  readonly id?: string | undefined;
}): AssistantMessage {
  return {
    role: 'assistant',
    ...(parts.id !== undefined && { id: parts.id }),
    content: parts.content ?? '',
    ...(parts.toolCalls?.length && { toolCalls: parts.toolCalls }),
    ...(parts.thinking && { thinking: parts.thinking }),
    ...(parts.providerMetadata && { providerMetadata: parts.providerMetadata }),
  };
}

/** The result of a call as the transcript keeps it: a string as text, an error as text, the rest as JSON. */
export function createToolResultMessage(parts: {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: { readonly value: JsonValue } | { readonly error: ToolErrorDetail };
  readonly id?: string | undefined;
}): ToolMessage {
  const base = {
    role: 'tool',
    ...(parts.id !== undefined && { id: parts.id }),
    toolCallId: parts.toolCallId,
    toolName: parts.toolName,
  } as const;
  if ('error' in parts.result) {
    const { error } = parts.result;
    const content = `Error: ${error.message}`;
    return { ...base, content, format: 'text', success: false, errorDetail: error };
  }
  const { value } = parts.result;
  return typeof value === 'string'
    ? { ...base, content: value, format: 'text', success: true }
    : { ...base, content: JSON.stringify(value), format: 'json', success: true };
}

/** Names a call as a transcript (`id`, `name`) or a plan (`callId`, `toolName`) does. */
export type NamedCall =
  | { readonly id: string; readonly name: string }
  | { readonly callId: string; readonly toolName: string };

export function toolMessageFrom(
  call: NamedCall,
  outcome: CallOutcome,
  executedInput?: JsonValue,
): ToolMessage {
  const message = createToolResultMessage({
    toolCallId: 'callId' in call ? call.callId : call.id,
    toolName: 'callId' in call ? call.toolName : call.name,
    result: outcome.success ? { value: outcome.value } : { error: outcome.error },
  });
  return executedInput === undefined ? message : { ...message, executedInput };
}

/** What a tool message holds, read back. */
export function outcomeOfToolMessage(message: ToolMessage): CallOutcome {
  if (message.success) {
    const value: JsonValue =
      message.format === 'json' ? JSON.parse(message.content) : message.content;
    return { success: true, value };
  }
  const unknown = { code: 'tool_execution_failed', message: message.content };
  return { success: false, error: message.errorDetail ?? unknown };
}

/**
 * The transcript of one model call: the system prompt first, calls under the ids their provider gave
 * them, no assistant message without content.
 */
export function buildMessagesForLLM(
  systemPrompt: string,
  messages: readonly Message[],
): readonly Message[] {
  const shownIds = new Map<string, string>();
  const transcript: Message[] = systemPrompt ? [{ role: 'system', content: systemPrompt }] : [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      if (!isEmpty(message)) transcript.push(asProviderGaveIt(message, shownIds));
    } else if (message.role === 'tool') {
      const toolCallId = shownIds.get(message.toolCallId) ?? message.toolCallId;
      transcript.push({ ...message, toolCallId, content: contentForModel(message) });
    } else {
      transcript.push(message);
    }
  }
  return transcript;
}

/** The model proposed one input and a person made another of it: the result only makes sense with both. */
function contentForModel({ content, executedInput }: ToolMessage): string {
  if (executedInput === undefined) return content;
  return `The user edited the input before approving. It ran with ${JSON.stringify(executedInput)}.\n${content}`;
}

function isEmpty(message: AssistantMessage): boolean {
  return message.content === '' && !message.toolCalls?.length && !message.providerMetadata;
}

function asProviderGaveIt(
  message: AssistantMessage,
  shownIds: Map<string, string>,
): AssistantMessage {
  if (!message.toolCalls?.length) return message;
  const given = message.toolCalls.map((call) => call.providerId ?? call.id);
  // A provider that repeats an id within one answer is shown ours: results must find their call.
  const unique = new Set(given).size === given.length;
  const toolCalls = message.toolCalls.map(({ providerId, ...call }) => {
    const id = unique ? (providerId ?? call.id) : call.id;
    shownIds.set(call.id, id);
    return { ...call, id };
  });
  return { ...message, toolCalls };
}
