import { noopLogger } from '@helix-agents/core';
import { startWire, type WireServer } from '@helix-agents/testing/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VercelAIAdapter } from '../src/index.ts';
import { ask, type Told } from './ask.ts';
import { MODELS } from './models.ts';

let first: WireServer;
let second: WireServer;
beforeEach(async () => {
  first = await startWire();
  second = await startWire();
});
afterEach(() => Promise.all([first.close(), second.close()]));

const claude = MODELS.find(({ name }) => name === 'anthropic v4')!;
const gpt = MODELS.find(({ name }) => name === 'openai chat v3')!;
const list = (): unknown[] => [claude.create(first.url), gpt.create(second.url)];

describe('a list of models', () => {
  it('asks the next model when the first may pass later, and says so', async () => {
    const warned: unknown[] = [];
    const logger = { ...noopLogger, warn: (...event: unknown[]) => void warned.push(event) };
    first.reply(claude.format.error(529, 'Overloaded'));
    second.reply(gpt.format.answer({ text: ['Here.'] }));
    const result = await new VercelAIAdapter({ logger }).generateStep(ask(list()));
    expect(result).toMatchObject({ content: 'Here.', modelId: 'gpt-4o' });
    const told = { modelId: 'gpt-4o', provider: 'openai.chat', code: 'provider_overloaded' };
    expect(warned).toEqual([['model.fallback', told]]);
  });

  it('does not ask it when something was streamed: the engine withdraws that first', async () => {
    first.reply(claude.format.failure({ text: ['Hel'] }, 'overloaded'));
    const told: Told = [];
    const call = new VercelAIAdapter().generateStep(ask(list(), { told }));
    await expect(call).rejects.toMatchObject({ code: 'provider_overloaded' });
    expect(told).toEqual([['text', 'Hel']]);
    expect(second.bodies.length).toBe(0);
  });

  it('does not ask it with a request that is wrong', async () => {
    first.reply(claude.format.error(400, 'Bad'));
    const call = new VercelAIAdapter().generateStep(ask(list()));
    await expect(call).rejects.toMatchObject({ code: 'provider_request_invalid' });
    expect(second.bodies.length).toBe(0);
  });

  it('fails as the first one did when all may pass later', async () => {
    first.reply(claude.format.error(429, 'Slow down', { 'retry-after': '3' }));
    second.reply(gpt.format.error(500, 'Oops'));
    const call = new VercelAIAdapter().generateStep(ask(list()));
    await expect(call).rejects.toMatchObject({ code: 'provider_rate_limited', retryAfterMs: 3000 });
  });

  it('ends with an abort, whichever model is asked', async () => {
    first.reply(claude.format.error(529, 'Overloaded'));
    second.reply({ ...gpt.format.answer({ text: ['Hel'] }), cutAt: 10, ending: 'hang' });
    const stop = new AbortController();
    const call = new VercelAIAdapter().generateStep(ask(list(), { abortSignal: stop.signal }));
    await expect.poll(() => second.bodies.length).toBe(1);
    stop.abort(new Error('stopped'));
    await expect(call).rejects.toThrow('stopped');
  });
});

it.each([
  ['gpt-4o'],
  [undefined],
  [{}],
  [{ specificationVersion: 'v9', doStream: () => {} }],
  [[]],
])('refuses %j as a model', async (model) => {
  const call = new VercelAIAdapter().generateStep(ask(model));
  await expect(call).rejects.toMatchObject({ code: 'definition_invalid' });
});
