import type { LanguageModel } from '../src/index.ts';

/** A provider that streams these parts, once per call; the last list is repeated. */
export function mockModel(
  version: 'v2' | 'v3' | 'v4',
  ...answers: readonly (readonly object[])[]
): LanguageModel & { readonly prompts: (readonly { readonly content: unknown }[])[] } {
  const prompts: (readonly { readonly content: unknown }[])[] = [];
  return {
    specificationVersion: version,
    provider: 'mock',
    modelId: 'mock-1',
    prompts,
    async doStream({ prompt }) {
      const parts = answers[Math.min(prompts.length, answers.length - 1)] ?? [];
      prompts.push(prompt as readonly { readonly content: unknown }[]);
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
  };
}

export const stop = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 2 } },
};
