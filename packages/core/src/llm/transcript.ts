import { HelixError } from '../errors/helix-error.ts';
import type { AssistantMessage, Message, ToolMessage } from '../messages/message.ts';

/** Throws unless a strict model provider would take this transcript. */
export function assertValidTranscript(messages: readonly Message[]): void {
  const fault = findTranscriptFault(messages);
  if (fault === null) return;
  throw new HelixError({
    code: 'provider_transcript_invalid',
    message: `No provider would take this transcript: ${fault}.`,
  });
}

/**
 * The first reason to refuse a transcript, or null. System messages come first, then a user message;
 * each call has exactly one result right after its message, in call order; no result is without a call.
 */
export function findTranscriptFault(messages: readonly Message[]): string | null {
  const start = messages.findIndex((message) => message.role !== 'system');
  if (start === -1) return 'it has no user message';
  if (messages[start]?.role !== 'user') return `message ${start} comes before any user message`;
  let index = start;
  for (let message = messages[index]; message; message = messages[index]) {
    if (message.role === 'system') return `message ${index} is a system message after others`;
    if (message.role === 'tool')
      return `message ${index} is a result of no call (${message.toolCallId})`;
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const fault =
      message.role === 'assistant'
        ? (assistantFault(message) ?? resultsFault(calls, messages.slice(index + 1)))
        : null;
    if (fault !== null) return `message ${index} ${fault}`;
    index += 1 + calls.length;
  }
  return null;
}

function assistantFault(message: AssistantMessage): string | null {
  const calls = message.toolCalls ?? [];
  if (message.content === '' && calls.length === 0 && !message.providerMetadata) return 'is empty';
  if (calls.some((call) => call.id === '' || call.name === ''))
    return 'has a call without id or name';
  const ids = calls.map((call) => call.id);
  const repeated = ids.find((id, position) => ids.indexOf(id) !== position);
  return repeated === undefined ? null : `uses call id ${repeated} twice`;
}

function resultsFault(
  calls: NonNullable<AssistantMessage['toolCalls']>,
  following: readonly Message[],
): string | null {
  for (const [position, call] of calls.entries()) {
    const result = following[position];
    if (result?.role !== 'tool') return `has no result for call ${call.id}`;
    const fault = resultFault(call, result);
    if (fault !== null) return fault;
  }
  return null;
}

function resultFault(call: { id: string; name: string }, result: ToolMessage): string | null {
  if (result.toolCallId !== call.id) {
    return `expects the result of call ${call.id}, found that of ${result.toolCallId}`;
  }
  return result.toolName === call.name
    ? null
    : `calls ${call.name} as ${call.id}, its result says ${result.toolName}`;
}
