import type { AssistantMessage, Message, StepResult } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { VercelAIAdapter } from '../src/index.ts';
import { ask, hello, type Told } from './ask.ts';
import { mockModel, stop } from './mock-model.ts';

const answerOf = (parts: readonly object[], told: Told = []): Promise<StepResult> =>
  new VercelAIAdapter().generateStep(ask(mockModel('v3', parts), { told }));

/** A step result as the engine keeps it. */
function asMessage(result: StepResult): AssistantMessage {
  if (result.type !== 'text' && result.type !== 'tool_calls') throw new Error(result.type);
  return {
    role: 'assistant',
    content: result.content ?? '',
    ...(result.thinking !== undefined && { thinking: result.thinking }),
    ...(result.type === 'tool_calls' && { toolCalls: result.toolCalls }),
    ...(result.providerMetadata && { providerMetadata: result.providerMetadata }),
  };
}

describe('odd streams', () => {
  it('take calls without the start of their input, without ids, and without names', async () => {
    const told: Told = [];
    const result = await answerOf(
      [
        { type: 'tool-call', toolCallId: '', toolName: 'look', input: '{"where":"a"}' },
        { type: 'tool-call', toolCallId: '', toolName: 'look', input: '' },
        { type: 'tool-call', toolCallId: 'x', toolName: '', input: '{}' },
        stop,
      ],
      told,
    );
    expect(result).toMatchObject({
      toolCalls: [
        { id: '', name: 'look', arguments: { where: 'a' } },
        { id: '', name: 'look', arguments: {} },
        { id: 'x', name: 'unnamed_tool', arguments: {} },
      ],
    });
    expect(told).toEqual([
      ['call', 0, '', 'look'],
      ['input', 0, '{"where":"a"}'],
      ['call', 1, '', 'look'],
      ['call', 2, 'x', 'unnamed_tool'],
      ['input', 2, '{}'],
    ]);
  });

  it('keep interleaved calls of one id apart', async () => {
    const result = await answerOf([
      { type: 'tool-input-start', id: 'a', toolName: 'look' },
      { type: 'tool-input-delta', id: 'a', delta: '{"where":1}' },
      { type: 'tool-input-start', id: 'a', toolName: 'other' },
      { type: 'tool-input-delta', id: 'a', delta: '{}' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"where":1}' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'other', input: '{}' },
      stop,
    ]);
    expect(result).toMatchObject({
      toolCalls: [
        { name: 'look', arguments: { where: 1 } },
        { name: 'other', arguments: {} },
      ],
    });
  });

  it('take the input that streamed where the call itself never came', async () => {
    const result = await answerOf([
      { type: 'tool-input-start', id: 'a', toolName: 'look' },
      { type: 'tool-input-delta', id: 'a', delta: '{"where":' },
      { type: 'tool-input-end', id: 'a' },
      stop,
    ]);
    expect(result).toMatchObject({ toolCalls: [{ id: 'a', invalidArguments: '{"where":' }] });
  });

  it('skip parts nobody knows, and take text that never began', async () => {
    const result = await answerOf([
      { type: 'constructor' },
      { type: 'text-delta', id: '9', delta: 'Hi' },
      { type: 'raw', rawValue: 1 },
      { type: 'source', id: 's' },
      { type: 'text-end', id: '9' },
      { type: 'text-end', id: '10' },
      stop,
    ]);
    expect(result).toMatchObject({ type: 'text', content: 'Hi' });
  });

  it.each([
    ['without a finish', [], 'provider_unavailable', true],
    [
      'with nothing but text',
      [{ type: 'text-delta', id: '0', delta: 'x' }],
      'provider_unavailable',
      true,
    ],
    [
      'interrupted',
      [{ ...stop, finishReason: { unified: 'interrupted' } }],
      'provider_unavailable',
      true,
    ],
    ['without a reason (v2)', [{ ...stop, finishReason: 'unknown' }], 'provider_unavailable', true],
    [
      'without a reason (v3)',
      [{ ...stop, finishReason: { unified: 'other' } }],
      'provider_unavailable',
      true,
    ],
    ['that ended in an error', [{ ...stop, finishReason: 'error' }], 'provider_error', true],
    [
      'with an error of no shape',
      [{ type: 'error', error: undefined }, stop],
      'provider_error',
      false,
    ],
    ['with an error as text', [{ type: 'error', error: 'oh' }, stop], 'provider_error', false],
  ])('fail %s', async (_name, parts, code, retryable) => {
    await expect(answerOf(parts)).rejects.toMatchObject({ code, retryable });
  });

  it('count as whole without a reason where that is asked for', async () => {
    const parts = [
      { type: 'text-delta', id: '0', delta: 'x' },
      { ...stop, finishReason: { unified: 'other' } },
    ];
    const adapter = new VercelAIAdapter({ acceptMissingFinishReason: true });
    const result = await adapter.generateStep(ask(mockModel('v3', parts)));
    expect(result).toMatchObject({ content: 'x', stopReason: 'unknown' });
  });

  it('fail once where a callback fails', async () => {
    const input = ask(mockModel('v3', [{ type: 'text-delta', id: '0', delta: 'x' }, stop]));
    const onTextDelta = (): Promise<void> => Promise.reject(new Error('no listener'));
    const call = new VercelAIAdapter().generateStep({
      ...input,
      callbacks: { ...input.callbacks, onTextDelta },
    });
    await expect(call).rejects.toMatchObject({ code: 'provider_error' });
  });
});

describe('the next prompt', () => {
  const thought = (id: string, text: string, signature: string): object[] => [
    { type: 'reasoning-start', id },
    { type: 'reasoning-delta', id, delta: text },
    { type: 'reasoning-end', id, providerMetadata: { mock: { signature } } },
  ];
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' };
  const own = { toolCallId: 'p', toolName: 'search' };
  const parts = [
    ...thought('0', 'First.', 'A'),
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'One. ' },
    { type: 'text-end', id: '1', providerMetadata: { mock: { item: 'm1' } } },
    { ...call, providerExecuted: true, ...own, input: '{"q":1}' },
    { type: 'tool-result', ...own, result: { hits: 2 } },
    ...thought('2', 'Second.', 'B'),
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'Two.' },
    { type: 'text-end', id: '1' },
    { ...call, providerMetadata: { mock: { item: 'c1' } } },
    { type: 'custom', kind: 'mock.compaction', providerMetadata: { mock: { id: 'k' } } },
    stop,
  ];
  const result: Message = {
    role: 'tool',
    toolCallId: 'c',
    toolName: 'look',
    content: '"x"',
    format: 'json',
    success: true,
  };
  const expected = [
    { type: 'reasoning', text: 'First.', providerOptions: { mock: { signature: 'A' } } },
    { type: 'text', text: 'One. ', providerOptions: { mock: { item: 'm1' } } },
    { type: 'tool-call', ...own, input: { q: 1 }, providerExecuted: true },
    { type: 'tool-result', ...own, output: { type: 'json', value: { hits: 2 } } },
    { type: 'reasoning', text: 'Second.', providerOptions: { mock: { signature: 'B' } } },
    { type: 'text', text: 'Two.' },
    {
      type: 'tool-call',
      toolCallId: 'c',
      toolName: 'look',
      input: {},
      providerOptions: { mock: { item: 'c1' } },
    },
    { type: 'custom', kind: 'mock.compaction', providerOptions: { mock: { id: 'k' } } },
  ];

  it('shows an answer in the order and with the metadata it came with', async () => {
    const answer = await answerOf(parts);
    expect(answer).toMatchObject({ content: 'One. Two.', thinking: 'First.\n\nSecond.' });
    // As it comes out of a store.
    const message = JSON.parse(JSON.stringify(asMessage(answer))) as AssistantMessage;
    for (const version of ['v4', 'v3', 'v2'] as const) {
      const model = mockModel(version, [stop]);
      const messages = [...hello, message, result];
      await new VercelAIAdapter().generateStep(ask(model, { messages }));
      expect(model.prompts[0]?.[2]?.content).toEqual(
        version === 'v4' ? expected : expected.slice(0, -1),
      );
    }
  });

  it('leaves metadata of a call out that is shown under another id', async () => {
    const message = asMessage(await answerOf(parts));
    const toolCalls = message.toolCalls?.map((made) => ({ ...made, id: 'c~1.0' }));
    const model = mockModel('v4', [stop]);
    const messages: Message[] = [
      ...hello,
      { ...message, toolCalls: toolCalls ?? [] },
      { ...result, toolCallId: 'c~1.0' } as Message,
    ];
    await new VercelAIAdapter().generateStep(ask(model, { messages }));
    expect(model.prompts[0]?.[2]?.content).toContainEqual({
      type: 'tool-call',
      toolCallId: 'c_1_0',
      toolName: 'look',
      input: {},
    });
  });

  it('ignores a layout that does not fit its message', async () => {
    const message = { ...asMessage(await answerOf(parts)), content: 'Changed.' };
    const model = mockModel('v4', [stop]);
    await new VercelAIAdapter().generateStep(ask(model, { messages: [...hello, message, result] }));
    expect(model.prompts[0]?.[2]?.content).toEqual([
      { type: 'reasoning', text: 'First.\n\nSecond.' },
      { type: 'text', text: 'Changed.' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} },
    ]);
  });

  it('leaves an answer out that was nothing but thoughts', async () => {
    const message = asMessage(await answerOf([...thought('0', 'Hm.', 'A'), stop]));
    const model = mockModel('v4', [stop]);
    await new VercelAIAdapter().generateStep(ask(model, { messages: [...hello, message] }));
    expect(model.prompts[0]?.length).toBe(2);
  });

  it('is made of what was converted before', async () => {
    const adapter = new VercelAIAdapter();
    const model = mockModel('v4', [stop]);
    const message = asMessage(await answerOf(parts));
    const messages = [...hello, message, result];
    await adapter.generateStep(ask(model, { messages }));
    await adapter.generateStep(
      ask(model, { messages: [...messages, { role: 'user', content: 'On' }] }),
    );
    const [first = [], second = []] = model.prompts;
    expect(second[1]).toBe(first[1]);
    expect(second[2]).toBe(first[2]);
    const results = [first[3], second[3]].map(
      (shown) => (shown?.content as object[] | undefined)?.[0],
    );
    expect(results[0]).toMatchObject({ type: 'tool-result' });
    expect(results[0]).toBe(results[1]);
  });
});
