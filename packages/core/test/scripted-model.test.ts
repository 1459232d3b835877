import { describe, expect, it } from 'vitest';
import {
  functionModel,
  HelixError,
  type LLMGenerateInput,
  MockLLMAdapter,
  RoutingMockLLMAdapter,
  type StepResult,
} from '../src/index.ts';

const text = (content: string): StepResult => ({ type: 'text', content, shouldStop: true });

interface Heard {
  readonly input: LLMGenerateInput;
  readonly log: string[];
}

function hearing(overrides: Partial<LLMGenerateInput> = {}): Heard {
  const log: string[] = [];
  const input: LLMGenerateInput = {
    messages: [{ role: 'user', content: 'hi' }],
    tools: [],
    config: { model: 'm' },
    abortSignal: new AbortController().signal,
    agentId: 's',
    agentType: 'a',
    callbacks: {
      onTextDelta: (delta) => void log.push(`text ${delta}`),
      onThinking: (content, done) => void log.push(`thinking ${content} ${done}`),
      onToolInputStart: ({ index, id, name }) => void log.push(`start ${index} ${id} ${name}`),
      onToolInputDelta: ({ index, delta }) => void log.push(`input ${index} ${delta}`),
    },
    ...overrides,
  };
  return { input, log };
}

describe('MockLLMAdapter', () => {
  it('answers from its queue, by value or by function, and says when it is empty', async () => {
    const model = new MockLLMAdapter([
      text('one'),
      (input) => text(`two for ${input.agentType}`),
      async () => text('three'),
    ]);
    const { input } = hearing();
    expect(await model.generateStep(input)).toEqual(text('one'));
    expect(await model.generateStep(input)).toEqual(text('two for a'));
    expect(await model.generateStep(input)).toEqual(text('three'));
    const failure: unknown = await model.generateStep(input).catch((error: unknown) => error);
    expect(HelixError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ code: 'provider_script_exhausted', retryable: false });
    model.push(text('four'));
    expect(await model.generateStep(input)).toEqual(text('four'));
  });

  it('streams text in pieces, thinking first', async () => {
    const model = new MockLLMAdapter([{ ...text('abcde'), thinking: 'hm' } as StepResult], {
      chunkSize: 2,
      streamDelayMs: 1,
    });
    const { input, log } = hearing();
    await model.generateStep(input);
    expect(log).toEqual(['thinking hm true', 'text ab', 'text cd', 'text e']);
  });

  it('streams the input of tool calls', async () => {
    const model = new MockLLMAdapter([
      {
        type: 'tool_calls',
        content: 'Let me look.',
        toolCalls: [
          { id: 'c1', name: 'look', arguments: { q: 1 } },
          { id: 'c2', name: 'look', arguments: null, invalidArguments: '{"q":' },
        ],
      },
    ]);
    const { input, log } = hearing();
    await model.generateStep(input);
    expect(log).toEqual([
      'text Let me look.',
      'start 0 c1 look',
      'input 0 {"q":1}',
      'start 1 c2 look',
      'input 1 {"q":',
    ]);
  });

  it('fails by value or by throwing', async () => {
    const error = new HelixError({ message: 'busy', code: 'provider_overloaded' });
    const model = new MockLLMAdapter([
      { type: 'error', error, shouldStop: true },
      error,
      () => {
        throw error;
      },
    ]);
    const { input } = hearing();
    expect(await model.generateStep(input)).toMatchObject({ type: 'error', error });
    await expect(model.generateStep(input)).rejects.toBe(error);
    await expect(model.generateStep(input)).rejects.toBe(error);
  });

  it('stops waiting and streaming when it is aborted', async () => {
    const slow = new MockLLMAdapter([text('x')], { delayMs: 60_000 });
    const controller = new AbortController();
    const answer = slow.generateStep(hearing({ abortSignal: controller.signal }).input);
    controller.abort(new Error('stop'));
    await expect(answer).rejects.toThrow('stop');

    const later = new AbortController();
    const { input, log } = hearing({ abortSignal: later.signal });
    const streaming = new MockLLMAdapter([text('abc')], { chunkSize: 1, streamDelayMs: 60_000 });
    const callbacks = {
      ...input.callbacks,
      onTextDelta: (delta: string): void => {
        log.push(delta);
        later.abort();
      },
    };
    await expect(streaming.generateStep({ ...input, callbacks })).rejects.toThrow();
    expect(log).toEqual(['a']);
  });

  it('records what it was asked, as it was then', async () => {
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const model = new MockLLMAdapter([text('x')]);
    await model.generateStep(hearing({ messages }).input);
    messages.push({ role: 'user', content: 'later' });
    expect(model.calls).toHaveLength(1);
    expect(model.calls[0]).toMatchObject({ agentType: 'a', config: { model: 'm' } });
    expect(model.calls[0]!.messages).toEqual([{ role: 'user', content: 'hi' }]);
  });

  it('refuses a transcript no provider would take, unless told not to', async () => {
    const messages = [{ role: 'assistant' as const, content: 'first' }];
    const { input } = hearing({ messages });
    await expect(new MockLLMAdapter([text('x')]).generateStep(input)).rejects.toThrow('transcript');
    const lax = new MockLLMAdapter([text('x')], { strict: false });
    expect(await lax.generateStep(input)).toEqual(text('x'));
  });
});

describe('RoutingMockLLMAdapter', () => {
  it('keeps the answers of agents apart', async () => {
    const model = new RoutingMockLLMAdapter();
    model.setResponses('parent', [text('p')]);
    model.setResponses('child', [text('c')]);
    expect(await model.generateStep(hearing({ agentType: 'child' }).input)).toEqual(text('c'));
    expect(await model.generateStep(hearing({ agentType: 'parent' }).input)).toEqual(text('p'));
    const unknown = model.generateStep(hearing({ agentType: 'other' }).input);
    await expect(unknown).rejects.toMatchObject({ code: 'provider_script_exhausted' });
    expect(model.calls.map((each) => each.agentType)).toEqual(['child', 'parent', 'other']);
  });
});

describe('functionModel', () => {
  it('answers from the transcript alone', async () => {
    const model = functionModel((input) => text(`${input.messages.length}`));
    const { input } = hearing();
    expect(await model.generateStep(input)).toEqual(text('1'));
    expect(await model.generateStep(input)).toEqual(text('1'));
    expect(model.calls).toHaveLength(2);
  });

  it('keeps the newest 1,000 inputs', async () => {
    const model = functionModel(() => text('x'));
    for (let count = 0; count < 1_005; count += 1)
      await model.generateStep(hearing({ agentId: `s${count}` }).input);
    expect(model.calls).toHaveLength(1_000);
    expect(model.calls.at(-1)?.agentId).toBe('s1004');
  });
});
