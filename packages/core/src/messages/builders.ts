import type { CallOutcome } from '../store/rows.ts';
import type { JsonValue } from '../json.ts';
import type {
  AnswerDetails,
  AssistantMessage,
  Message,
  ToolCall,
  ToolErrorDetail,
  ToolMessage,
} from './message.ts';
import { codedError } from '../errors/coded-error.ts';

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
  const { id, toolCallId, toolName, result } = parts;
  const base =
    id === undefined
      ? ({ role: 'tool', toolCallId, toolName } as const)
      : ({ role: 'tool', id, toolCallId, toolName } as const);
  if ('error' in result) {
    const { error } = result;
    const content = `Error: ${error.message}`;
    return { ...base, content, format: 'text', success: false, errorDetail: error };
  }
  const { value } = result;
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
  details: AnswerDetails = {},
): ToolMessage {
  const message = createToolResultMessage({
    toolCallId: 'callId' in call ? call.callId : call.id,
    toolName: 'callId' in call ? call.toolName : call.name,
    result: outcome.success ? { value: outcome.value } : { error: outcome.error },
  });
  return { ...message, ...answerDetailsOf(details) };
}

/** The details alone, without those that are not there. */
export function answerDetailsOf(details: AnswerDetails): AnswerDetails {
  const { executedInput, editedInput, approvalReason, answeredBy, answeredAt } = details;
  return {
    ...(executedInput !== undefined && { executedInput }),
    ...(editedInput !== undefined && { editedInput }),
    ...(approvalReason !== undefined && { approvalReason }),
    ...(answeredBy !== undefined && { answeredBy }),
    ...(answeredAt !== undefined && { answeredAt }),
  };
}

/** What a tool message holds, read back. */
export function outcomeOfToolMessage(message: ToolMessage): CallOutcome {
  if (message.success) {
    const value: JsonValue =
      message.format === 'json' ? JSON.parse(message.content) : message.content;
    return { success: true, value };
  }
  const unknown = codedError('tool_execution_failed', message.content);
  return { success: false, error: message.errorDetail ?? unknown };
}

/**
 * The transcript of one model call: the system prompt first, calls under the ids their provider gave
 * them, no assistant message without content. A message comes back as the same object every time, so
 * that an adapter can keep what it made of it.
 */
export function buildMessagesForLLM(
  systemPrompt: string,
  messages: readonly Message[],
): readonly Message[] {
  const transcript = new PromptTranscript();
  for (const message of messages) transcript.append(message);
  return transcript.withSystem(systemPrompt);
}

const NO_PROMPT: Message = { role: 'system', content: '' };

/** The same for a transcript that grows: what was shown before is not looked at again. */
export class PromptTranscript {
  readonly #ids = new ShownIds();
  /** The first is the place of the system prompt: one copy of the whole is all that a model call costs. */
  readonly #shown: Message[] = [NO_PROMPT];

  append(message: Message): void {
    if (message.role === 'assistant') {
      if (!isEmpty(message)) this.#shown.push(asProviderGaveIt(message, this.#ids));
    } else if (message.role === 'tool') {
      this.#shown.push(showResult(message, this.#ids.get(message.toolCallId)));
    } else {
      this.#shown.push(message);
    }
  }

  withSystem(systemPrompt: string): readonly Message[] {
    if (!systemPrompt) return this.#shown.slice(1);
    const messages = this.#shown.slice();
    messages[0] = { role: 'system', content: systemPrompt };
    return messages;
  }
}

/** Messages that are shown otherwise than they are stored. */
const shown = new WeakMap<Message, Message>();

/** Under which id each call is shown: its provider's own, also where the provider uses it again in a later answer. */
class ShownIds {
  readonly #shown = new Map<string, string>();

  get(id: string): string {
    return this.#shown.get(id) ?? id;
  }

  /** The provider's ids where it gave each call of the answer one of its own, ours otherwise. */
  choose(calls: readonly ToolCall[]): readonly string[] {
    const given = calls.map((call) => call.providerId ?? call.id);
    const own = given.every((id) => id !== '') && new Set(given).size === given.length;
    const ids = own ? given : calls.map((call) => call.id);
    for (const [index, call] of calls.entries()) {
      const id = ids[index] ?? call.id;
      this.#shown.set(call.id, id);
    }
    return ids;
  }

  /** These are shown as they are stored. */
  keep(calls: readonly ToolCall[]): void {
    for (const call of calls) this.#shown.delete(call.id);
  }
}

/** What a person said when they approved a call comes before what became of it. */
function contentForModel(message: ToolMessage): string {
  const { approvalReason } = message;
  const content = contentWithInput(message);
  return approvalReason === undefined
    ? content
    : `The user approved this with the words: ${approvalReason}\n${content}`;
}

/** The model proposed one input and a person made another of it: the result only makes sense with both. */
function contentWithInput(message: ToolMessage): string {
  const { content, errorDetail, executedInput, editedInput } = message;
  if (editedInput !== undefined)
    return `The user edited the input to ${JSON.stringify(editedInput)} before approving. It was not run.\n${content}`;
  if (executedInput === undefined) return content;
  const ran = errorDetail?.code === 'tool_outcome_unknown' ? 'may have run' : 'ran';
  return `The user edited the input before approving. It ${ran} with ${JSON.stringify(executedInput)}.\n${content}`;
}

function isEmpty(message: AssistantMessage): boolean {
  return message.content === '' && !message.toolCalls?.length && !message.providerMetadata;
}

/** Without its reasoning, which is not whole: a provider takes only what it has signed. */
function asStopped(message: AssistantMessage): AssistantMessage {
  const known = shown.get(message);
  if (known?.role === 'assistant') return known;
  const { role, id, content } = message;
  const made: AssistantMessage = { role, ...(id !== undefined && { id }), content };
  shown.set(message, made);
  return made;
}

function asProviderGaveIt(message: AssistantMessage, ids: ShownIds): AssistantMessage {
  if (message.stopped) return asStopped(message);
  const calls = message.toolCalls ?? [];
  if (calls.every((call) => call.providerId === undefined)) {
    ids.keep(calls);
    return message;
  }
  const chosen = ids.choose(calls);
  const known = shown.get(message);
  if (known?.role === 'assistant' && known.toolCalls?.every((call, i) => call.id === chosen[i])) {
    return known;
  }
  const toolCalls = calls.map(({ providerId: _given, ...call }, index) => ({
    ...call,
    id: chosen[index] ?? call.id,
  }));
  const made: AssistantMessage = { ...message, toolCalls };
  shown.set(message, made);
  return made;
}

function showResult(message: ToolMessage, toolCallId: string): ToolMessage {
  const content = contentForModel(message);
  const { answeredBy, answeredAt: _at, ...told } = message;
  const isTold = answeredBy === undefined && content === message.content;
  if (isTold && toolCallId === message.toolCallId) return message;
  const known = shown.get(message);
  if (known?.role === 'tool' && known.toolCallId === toolCallId) return known;
  const made: ToolMessage = { ...told, toolCallId, content };
  shown.set(message, made);
  return made;
}
