import type { CallOutcome } from '../store/rows.ts';
import type { JsonValue } from '../json.ts';
import type { AnswerDetails, AssistantMessage, ToolErrorDetail, ToolMessage } from './message.ts';
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

/** Only the details that are set. */
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
