import { describe, expect, it } from 'vitest';
import {
  assertValidTranscript,
  buildMessagesForLLM,
  createAssistantMessage,
  createToolResultMessage,
  HelixError,
  type Message,
  outcomeOfToolMessage,
} from '../src/index.ts';
import { findTranscriptFault } from '../src/llm/transcript.ts';
import { toolMessageFrom } from '../src/messages/builders.ts';

const call = (id: string, providerId?: string): { id: string; name: string; arguments: null } => ({
  id,
  name: 'look',
  arguments: null,
  ...(providerId !== undefined && { providerId }),
});
const user: Message = { role: 'user', content: 'hi' };
const asks = (...ids: string[]): Message =>
  createAssistantMessage({ toolCalls: ids.map((id) => call(id)) });
const result = (id: string, name = 'look'): Message =>
  toolMessageFrom({ id, name }, { success: true, value: 1 });

describe('message builders', () => {
  it('leave out what is empty', () => {
    expect(createAssistantMessage({ content: 'x', toolCalls: [], thinking: '' })).toEqual({
      role: 'assistant',
      content: 'x',
    });
    expect(createAssistantMessage({ id: 'm', thinking: 'hm', toolCalls: [call('c')] })).toEqual({
      role: 'assistant',
      id: 'm',
      content: '',
      thinking: 'hm',
      toolCalls: [call('c')],
    });
  });

  it.each([
    ['plain text', 'plain text', 'text'],
    ['', '', 'text'],
    [null, 'null', 'json'],
    [false, 'false', 'json'],
    [0, '0', 'json'],
    [{ a: [1] }, '{"a":[1]}', 'json'],
  ] as const)('write the value %j as %s', (value, content, format) => {
    const message = toolMessageFrom({ id: 'c', name: 'look' }, { success: true, value });
    expect(message).toEqual({
      role: 'tool',
      toolCallId: 'c',
      toolName: 'look',
      content,
      format,
      success: true,
    });
    expect(outcomeOfToolMessage(message)).toEqual({ success: true, value });
  });

  it('write an error as text and keep its code', () => {
    const error = { code: 'tool_timeout', message: 'Took too long.' };
    const message = toolMessageFrom({ callId: 'c', toolName: 'look' }, { success: false, error });
    expect(message).toMatchObject({
      toolCallId: 'c',
      toolName: 'look',
      content: 'Error: Took too long.',
      format: 'text',
      success: false,
      errorDetail: error,
    });
    expect(outcomeOfToolMessage(message)).toEqual({ success: false, error });
  });

  it('give a message its id', () => {
    const parts = { id: 'm', toolCallId: 'c', toolName: 'look', result: { value: 'x' } };
    expect(createToolResultMessage(parts).id).toBe('m');
  });
});

describe('buildMessagesForLLM', () => {
  it('puts the system prompt first, if there is one', () => {
    expect(buildMessagesForLLM('Be kind.', [user])).toEqual([
      { role: 'system', content: 'Be kind.' },
      user,
    ]);
    expect(buildMessagesForLLM('', [user])).toEqual([user]);
  });

  it('shows calls under the ids their provider gave them', () => {
    const assistant = createAssistantMessage({
      toolCalls: [call('call_1~2.0', 'call_1'), call('b')],
    });
    const shown = buildMessagesForLLM('', [user, assistant, result('call_1~2.0'), result('b')]);
    expect(shown[1]).toEqual(createAssistantMessage({ toolCalls: [call('call_1'), call('b')] }));
    expect(shown[2]).toMatchObject({ toolCallId: 'call_1' });
    expect(shown[3]).toMatchObject({ toolCallId: 'b' });
    expect(findTranscriptFault(shown)).toBeNull();
  });

  it('keeps results apart where a provider repeats an id', () => {
    const again = [call('call_1~1.0', 'call_1'), call('call_1~1.1', 'call_1')];
    const shown = buildMessagesForLLM('', [
      user,
      createAssistantMessage({ toolCalls: again }),
      result('call_1~1.0'),
      result('call_1~1.1'),
    ]);
    expect(findTranscriptFault(shown)).toBeNull();
  });

  it('shows a call under our id where its provider gave none', () => {
    const shown = buildMessagesForLLM('', [
      user,
      createAssistantMessage({ toolCalls: [call('call_1')] }),
      result('call_1'),
      createAssistantMessage({ toolCalls: [call('call~2.0', '')] }),
      result('call~2.0'),
    ]);
    expect(shown[3]).toMatchObject({ toolCalls: [{ id: 'call~2.0' }] });
    expect(shown[4]).toMatchObject({ toolCallId: 'call~2.0' });
    expect(findTranscriptFault(shown)).toBeNull();
  });

  it('hands a message out as the same object every time', () => {
    const messages = [
      user,
      createAssistantMessage({ toolCalls: [call('a')] }),
      result('a'),
      createAssistantMessage({ toolCalls: [call('b~2.0', 'b')] }),
      { ...result('b~2.0'), executedInput: { where: 'here' } },
    ];
    const first = buildMessagesForLLM('', messages);
    const second = buildMessagesForLLM('', [...messages, user]);
    for (const [index, message] of first.entries()) expect(second[index]).toBe(message);
    expect(first.slice(0, 3)).toEqual(messages.slice(0, 3));
  });

  it('leaves out an assistant message that says nothing', () => {
    expect(
      buildMessagesForLLM('', [user, createAssistantMessage({ thinking: 'hm' }), user]),
    ).toEqual([user, user]);
  });
});

describe('assertValidTranscript', () => {
  const system: Message = { role: 'system', content: 's' };
  const says = createAssistantMessage({ content: 'ok' });

  it.each([
    ['one question', [user]],
    ['a system prompt', [system, user, says, user]],
    ['calls with their results', [user, asks('a', 'b'), result('a'), result('b'), says]],
    ['an id used again later', [user, asks('a'), result('a'), asks('a'), result('a')]],
  ] as [string, Message[]][])('takes %s', (_what, messages) => {
    expect(() => assertValidTranscript(messages)).not.toThrow();
  });

  it.each([
    ['nothing at all', [], 'no user message'],
    ['only a system prompt', [system], 'no user message'],
    ['an assistant first', [system, says], 'before any user message'],
    ['a late system message', [user, system], 'system message after others'],
    ['an unanswered call', [user, asks('a')], 'no result for call a'],
    ['a call answered in part', [user, asks('a', 'b'), result('a'), user], 'no result for call b'],
    [
      'a message between call and result',
      [user, asks('a'), user, result('a')],
      'no result for call a',
    ],
    ['results out of order', [user, asks('a', 'b'), result('b'), result('a')], 'found that of b'],
    ['a result without a call', [user, says, result('a')], 'a result of no call'],
    ['a result too many', [user, asks('a'), result('a'), result('a')], 'a result of no call'],
    ['one id twice', [user, asks('a', 'a'), result('a'), result('a')], 'twice'],
    ['a result of another tool', [user, asks('a'), result('a', 'other')], 'its result says other'],
    ['a call without an id', [user, asks(''), result('')], 'without id or name'],
    ['an empty answer', [user, createAssistantMessage({}), user], 'is empty'],
  ] as [string, Message[], string][])('refuses %s', (_what, messages, fault) => {
    expect(findTranscriptFault(messages)).toContain(fault);
    const refusal = (): void => assertValidTranscript(messages);
    expect(refusal).toThrow(HelixError);
    expect(refusal).toThrow(expect.objectContaining({ code: 'provider_transcript_invalid' }));
  });
});
