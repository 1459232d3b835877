// If this fails: a transcript that was imported or cut is refused by the provider, at every attempt.
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { findTranscriptFault } from '../src/llm/transcript.ts';
import { buildMessagesForLLM, PromptTranscript } from '../src/messages/prompt-transcript.ts';
import type { Message, ToolCall } from '../src/messages/message.ts';

const user: Message = { role: 'user', content: 'hi' };
const call = (id: string, name = 'look'): ToolCall => ({ id, name, arguments: {} });
const asks = (...toolCalls: ToolCall[]): Message => ({ role: 'assistant', content: '', toolCalls });
const result = (toolCallId: string, content = `of ${toolCallId}`, toolName = 'look'): Message => ({
  role: 'tool',
  toolCallId,
  toolName,
  content,
  format: 'text',
  success: true,
});

function inShort(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    if (message.role === 'tool') return `${message.toolCallId}: ${message.content.slice(0, 20)}`;
    if (message.role !== 'assistant') return message.role;
    return `asks ${(message.toolCalls ?? []).map(({ id }) => id).join(' ')}`;
  });
}

const UNKNOWN = 'Error: The transcrip';

describe('the prompt of a transcript that was imported or cut', () => {
  it.each([
    [
      'a call without a result at its end',
      [user, asks(call('a'))],
      ['user', 'asks a', `a: ${UNKNOWN}`],
    ],
    [
      'a call without a result before another message',
      [user, asks(call('a'), call('b')), result('b'), user],
      ['user', 'asks a b', `a: ${UNKNOWN}`, 'b: of b', 'user'],
    ],
    [
      'results in another order',
      [user, asks(call('a'), call('b')), result('b'), result('a')],
      ['user', 'asks a b', 'a: of a', 'b: of b'],
    ],
    [
      'a result without a call, a second one and a late one',
      [user, result('x'), asks(call('a')), result('a'), result('a', 'again'), user, result('a')],
      ['user', 'asks a', 'a: of a', 'user'],
    ],
    [
      'calls without id or name, or with the same id',
      [user, asks(call('a'), call('a'), call(''), call('b', '')), result('a')],
      ['user', 'asks a', 'a: of a'],
    ],
    [
      'a system message between others',
      [user, { role: 'system', content: 'rules' } as Message, asks(call('a')), result('a')],
      ['system', 'user', 'asks a', 'a: of a'],
    ],
    [
      'an assistant message before any of the user',
      [asks(call('a')), result('a'), user],
      ['user', 'asks a', 'a: of a', 'user'],
    ],
  ])('has each call with one result in its place: %s', (_name, messages, expected) => {
    const shown = buildMessagesForLLM('', messages);
    expect(inShort(shown)).toEqual(expected);
    expect(findTranscriptFault(shown)).toBeNull();
  });

  it('names the tool of a result as its call does', () => {
    const shown = buildMessagesForLLM('', [user, asks(call('a')), result('a', 'x', 'other')]);
    expect(shown[2]).toMatchObject({ toolName: 'look', content: 'x' });
  });

  it('takes a result that comes after it was asked for', () => {
    const transcript = new PromptTranscript();
    for (const message of [user, asks(call('a'))]) transcript.append(message);
    expect(inShort(transcript.withSystem(''))).toEqual(['user', 'asks a', `a: ${UNKNOWN}`]);
    transcript.append(result('a'));
    expect(inShort(transcript.withSystem(''))).toEqual(['user', 'asks a', 'a: of a']);
  });

  it('is valid whatever messages there are, in any order, and the same when it is built in one go', () => {
    const id = fc.constantFrom('a', 'b', 'c', '');
    const name = fc.constantFrom('look', 'other', '');
    const anyCall = fc.record({
      id,
      name,
      arguments: fc.constant({}),
      providerId: fc.option(fc.constantFrom('p', 'q'), { nil: undefined }),
    });
    const message = fc.oneof(
      fc.constant(user),
      fc.constant<Message>({ role: 'system', content: 'rules' }),
      fc
        .record({
          content: fc.constantFrom('', 'text'),
          toolCalls: fc.array(anyCall, { maxLength: 3 }),
        })
        .map((parts) => ({ role: 'assistant', ...parts }) as Message),
      fc.record({ id, name }).map((one) => result(one.id, 'x', one.name)),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const transcript = new PromptTranscript();
        for (const one of messages) {
          transcript.append(one);
          const shown = transcript.withSystem('prompt');
          expect(findTranscriptFault(shown)).toBe(
            transcript.isEmpty ? 'it has no user message' : null,
          );
        }
        expect(transcript.withSystem('prompt')).toEqual(buildMessagesForLLM('prompt', messages));
      }),
    );
  });
});
