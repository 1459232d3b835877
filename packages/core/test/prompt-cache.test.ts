import { describe, expect, it } from 'vitest';
import {
  anthropicCache,
  applyCacheStrategies,
  type CacheStrategy,
  type Message,
} from '../src/index.ts';

const system: Message = { role: 'system', content: 's' };
const user: Message = { role: 'user', content: 'u' };
const assistant: Message = { role: 'assistant', content: 'a' };
const result: Message = {
  role: 'tool',
  toolCallId: 'c',
  toolName: 't',
  content: 'r',
  format: 'text',
  success: true,
};
const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } };
const marked = (
  messages: readonly Message[],
  tools = [{ name: 'x' }, { name: 'y' }],
  cache: CacheStrategy | readonly CacheStrategy[] = anthropicCache(),
): { messages: unknown[]; tools: unknown[] } => {
  const applied = applyCacheStrategies(cache, { messages, tools });
  return { messages: [...applied.messageOptions], tools: [...applied.toolOptions] };
};

describe('applyCacheStrategies', () => {
  it('marks nothing unless it is asked to', () => {
    const applied = applyCacheStrategies(undefined, { messages: [system, user], tools: [] });
    expect(applied.messageOptions.size + applied.toolOptions.size).toBe(0);
    expect(marked([system, user], [], [])).toEqual({ messages: [], tools: [] });
  });

  it('joins what several strategies say of one place', () => {
    const other: CacheStrategy = {
      name: 'other',
      findBreakpoints: () => [
        { at: { message: 0 }, providerOptions: { anthropic: { more: 1 }, bedrock: { point: 2 } } },
      ],
    };
    expect(marked([system, user], [], [anthropicCache(), other]).messages).toEqual([
      [0, { anthropic: { ...mark.anthropic, more: 1 }, bedrock: { point: 2 } }],
    ]);
  });
});

describe('anthropicCache', () => {
  it('marks the system prompt and the end of the latest results', () => {
    const messages = [system, user, assistant, result, result, assistant, user];
    expect(marked(messages)).toEqual({
      messages: [
        [0, mark],
        [4, mark],
      ],
      tools: [],
    });
  });

  it('marks the last tool where there is no system prompt', () => {
    expect(marked([user])).toEqual({ messages: [], tools: [[1, mark]] });
    expect(marked([user], [])).toEqual({ messages: [], tools: [] });
  });

  it('asks for the time it was given', () => {
    const [[, options] = []] = marked([system], [], anthropicCache({ ttl: '1h' })).messages as [
      number,
      unknown,
    ][];
    expect(options).toEqual({ anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } });
  });
});
