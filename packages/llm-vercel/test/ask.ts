import type { LLMGenerateInput, Message } from '@helix-agents/core';

export const hello: readonly Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
];

/** Everything the callbacks were told, in order. */
export type Told = (readonly [string, ...unknown[]])[];

/** A model call as the engine makes it. */
export function ask(
  model: unknown,
  change: Partial<LLMGenerateInput> & { readonly told?: Told } = {},
): LLMGenerateInput {
  const { told = [], ...input } = change;
  return {
    messages: hello,
    tools: [
      {
        name: 'look',
        description: 'Looks something up.',
        inputSchema: { type: 'object', properties: { where: { type: 'string' } } },
      },
    ],
    abortSignal: new AbortController().signal,
    agentId: 's',
    agentType: 'test',
    callbacks: {
      onTextDelta: (delta) => void told.push(['text', delta]),
      onThinking: (content, isComplete) => void told.push(['thinking', content, isComplete]),
      onToolInputStart: ({ index, id, name }) => void told.push(['call', index, id, name]),
      onToolInputDelta: ({ index, delta }) => void told.push(['input', index, delta]),
    },
    ...input,
    config: { model, ...input.config },
  };
}
