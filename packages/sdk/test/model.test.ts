// If this fails: the model of a provider cannot be handed over in one word, or the wrong one is asked.
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  createHelix,
  createSubAgentTool,
  defineAgent,
  type Helix,
  type HelixOptions,
  type LanguageModel,
} from '../src/index.ts';

/** As a provider of the AI SDK makes it. */
function provider(modelId: string, fails = false): LanguageModel {
  return {
    specificationVersion: 'v3',
    provider: 'fake',
    modelId,
    async doStream() {
      if (fails)
        throw Object.assign(new Error('overloaded'), { statusCode: 529, isRetryable: true });
      const parts = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: `${modelId} here` },
        { type: 'text-end', id: '1' },
        { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} },
      ];
      return { stream: streamOf(parts) };
    },
  };
}

function streamOf(parts: readonly object[]): ReadableStream<unknown> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

const plain = defineAgent({ name: 'plain', systemPrompt: 'You answer.' });
const own = defineAgent({
  name: 'own',
  systemPrompt: 'You answer.',
  llmConfig: { model: provider('small') },
});

function open(options: HelixOptions): Helix {
  const helix = createHelix({ database: ':memory:', recoverEveryMs: false, ...options });
  onTestFinished(() => helix.close());
  return helix;
}

const output = async (helix: Helix, agent: typeof plain): Promise<unknown> =>
  (await helix.run(agent, 'Hello')).result();

it('createHelix takes the model of a provider for all agents that name none', async () => {
  const helix = open({ model: provider('large') });
  expect(await output(helix, plain)).toEqual({ status: 'completed', output: 'large here' });
  expect(await output(helix, own)).toEqual({ status: 'completed', output: 'small here' });
});

it('createHelix takes a list of models, and asks the next when one fails', async () => {
  const helix = open({ model: [provider('down', true), provider('spare')] });
  expect(await output(helix, plain)).toEqual({ status: 'completed', output: 'spare here' });
});

it('createHelix needs no model where every agent names its own', async () => {
  const helix = open({ agents: [own] });
  expect(await output(helix, own)).toEqual({ status: 'completed', output: 'small here' });
});

it('createHelix refuses an agent that has no model before anything is stored', async () => {
  const text = 'Agent "plain" has no model: give createHelix one for all agents';
  expect(() => open({ agents: [plain] })).toThrow(text);
  const helix = open({});
  await expect(helix.run(plain, 'Hello')).rejects.toThrow(text);
  expect(() => helix.chat(plain)).toThrow(text);
  const child = { ...plain, outputSchema: z.object({}) };
  const parent = { ...own, tools: [createSubAgentTool(child, z.object({}))] };
  await expect(helix.run(parent, 'Hello')).rejects.toThrow(text);
  expect((await helix.sessions()).items).toEqual([]);
});

it.each([
  ['a name', 'gpt-5', '`model` is the text "gpt-5"'],
  ['a provider that was not called', () => provider('x'), '`model` is a function'],
  ['something else', {}, '`model` is no language model'],
  ['nothing', null, '`model` is null'],
])('createHelix refuses %s as its model', (_what, model, text) => {
  expect(() => open({ model: model as never })).toThrow(text);
});
