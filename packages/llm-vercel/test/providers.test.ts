import { HelixError, type StepResult } from '@helix-agents/core';
import { startWire, USAGE, type WireServer } from '@helix-agents/testing/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VercelAIAdapter } from '../src/index.ts';
import { ask, type Told } from './ask.ts';
import { MODELS } from './models.ts';

let wire: WireServer;
beforeEach(async () => {
  wire = await startWire();
});
afterEach(() => wire.close());

const adapter = new VercelAIAdapter();
const look = { id: 'call_1', name: 'look', input: ['{"whe', 're":"here"}'] };

/** The error of a call that must fail. */
async function failureOf(call: Promise<StepResult>): Promise<HelixError> {
  const error: unknown = await call.then(
    (result) => new Error(`answered ${JSON.stringify(result)}`),
    (thrown: unknown) => thrown,
  );
  if (!HelixError.isInstance(error)) throw error as Error;
  return error;
}

describe.each(MODELS)('the adapter over $name', ({ api, version, format, create }) => {
  it('streams text and reports what it cost', async () => {
    wire.reply(format.answer({ text: ['Hel', 'lo.'] }));
    const told: Told = [];
    const result = await adapter.generateStep(ask(create(wire.url), { told }));
    expect(result).toMatchObject({
      type: 'text',
      content: 'Hello.',
      shouldStop: true,
      stopReason: 'end_turn',
    });
    const { reasoning: _, ...counted } = USAGE;
    // Anthropic tells no count of its thoughts; its v2 provider counts what was cached apart.
    const spent = version === 'v2' ? { ...counted, prompt: 40, total: 60 } : counted;
    expect(result.usage).toEqual(api === 'anthropic' ? spent : USAGE);
    expect(told).toEqual([
      ['text', 'Hel'],
      ['text', 'lo.'],
    ]);
  });

  it('streams the input of calls', async () => {
    const second = { id: 'call_2', name: 'look', input: ['{}'] };
    wire.reply(format.answer({ text: ['Let me see.'], calls: [look, second] }));
    const told: Told = [];
    const result = await adapter.generateStep(ask(create(wire.url), { told }));
    expect(result).toMatchObject({
      type: 'tool_calls',
      content: 'Let me see.',
      stopReason: 'tool_use',
      toolCalls: [
        { id: 'call_1', name: 'look', arguments: { where: 'here' } },
        { id: 'call_2', name: 'look', arguments: {} },
      ],
    });
    expect(told.slice(0, 4)).toEqual([
      ['text', 'Let me see.'],
      ['call', 0, 'call_1', 'look'],
      ['input', 0, '{"whe'],
      ['input', 0, 're":"here"}'],
    ]);
    expect(told).toContainEqual(['call', 1, 'call_2', 'look']);
  });

  it('takes no arguments as an empty object, and hands on arguments that are no JSON', async () => {
    const empty = { id: 'call_1', name: 'look', input: [] };
    const broken = { id: 'call_2', name: 'look', input: ['{"where": "he'] };
    wire.reply(format.answer({ calls: [empty, broken] }));
    const result = await adapter.generateStep(ask(create(wire.url)));
    if (result.type !== 'tool_calls') throw new Error(`got ${result.type}`);
    expect(result.toolCalls[0]).toEqual({ id: 'call_1', name: 'look', arguments: {} });
    expect(result.toolCalls[1]).toEqual({
      id: 'call_2',
      name: 'look',
      arguments: null,
      invalidArguments: '{"where": "he',
    });
  });

  it('keeps calls apart that share an id', async () => {
    const again = { ...look, input: ['{"where":"there"}'] };
    wire.reply(format.answer({ calls: [look, again] }));
    const result = await adapter.generateStep(ask(create(wire.url)));
    expect(result).toMatchObject({
      toolCalls: [{ arguments: { where: 'here' } }, { arguments: { where: 'there' } }],
    });
  });

  it('takes an empty answer', async () => {
    wire.reply(format.answer({}));
    const result = await adapter.generateStep(ask(create(wire.url)));
    expect(result).toMatchObject({ type: 'text', content: '', shouldStop: true });
    expect(result.providerMetadata).toBeUndefined();
  });

  it('says when the answer hit its limit', async () => {
    wire.reply(format.answer({ text: ['and so on and'], stop: 'length' }));
    const result = await adapter.generateStep(ask(create(wire.url)));
    expect(result).toMatchObject({ content: 'and so on and', stopReason: 'max_tokens' });
  });

  it('fails when the filter left nothing', async () => {
    wire.reply(format.answer({ stop: 'filter' }));
    const error = await failureOf(adapter.generateStep(ask(create(wire.url))));
    expect(error).toMatchObject({ code: 'provider_content_filtered', retryable: false });
  });

  it('fails on an error in the middle of the stream', async () => {
    wire.reply(format.failure({ text: ['Hel'] }, 'overloaded'));
    wire.reply(format.failure({ text: ['Hel'] }, 'server'));
    const first = await failureOf(adapter.generateStep(ask(create(wire.url))));
    expect(first).toMatchObject({ code: 'provider_overloaded', retryable: true });
    const second = await failureOf(adapter.generateStep(ask(create(wire.url))));
    expect(second).toMatchObject({ code: 'provider_unavailable', retryable: true });
  });

  it.each([
    [429, 'provider_rate_limited', true],
    [529, 'provider_overloaded', true],
    [503, 'provider_overloaded', true],
    [500, 'provider_unavailable', true],
    [401, 'provider_auth_failed', false],
    [400, 'provider_request_invalid', false],
  ] as const)('maps status %i to %s', async (status, code, retryable) => {
    wire.reply(format.error(status, 'No, not with key sk-live-abcdefgh.', { 'retry-after': '2' }));
    const error = await failureOf(adapter.generateStep(ask(create(wire.url))));
    expect(error).toMatchObject({ code, retryable, statusCode: status, retryAfterMs: 2000 });
    expect(wire.bodies.length).toBe(1);
    expect(error.message).toContain('No, not with key [redacted]');
  });

  it('fails when nobody listens', async () => {
    const model = create(wire.url);
    await wire.close();
    const error = await failureOf(adapter.generateStep(ask(model)));
    expect(error).toMatchObject({ code: 'provider_unavailable', retryable: true });
    wire = await startWire();
  });

  it('leaves the connection when it is aborted', async () => {
    wire.reply({ ...format.answer({ text: ['Hel', 'lo.'] }), cutAt: 400, ending: 'hang' });
    const stop = new AbortController();
    const call = adapter.generateStep(ask(create(wire.url), { abortSignal: stop.signal }));
    await expect.poll(() => wire.bodies.length).toBe(1);
    stop.abort(new Error('stopped'));
    await expect(call).rejects.toThrow('stopped');
    await expect.poll(() => wire.left).toBe(1);
  });
});
