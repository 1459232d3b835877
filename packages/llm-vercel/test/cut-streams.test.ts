import { HelixError } from '@helix-agents/core';
import { startWire, type WireAnswer, type WireServer } from '@helix-agents/testing/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VercelAIAdapter } from '../src/index.ts';
import { ask } from './ask.ts';
import { MODELS } from './models.ts';

let wire: WireServer;
beforeAll(async () => {
  wire = await startWire();
});
afterAll(() => wire.close());

const adapter = new VercelAIAdapter();
const answer: WireAnswer = {
  thinking: 'Where is ☃?',
  text: ['Let me ', 'see ☃.'],
  calls: [{ id: 'call_1', name: 'look', input: ['{"whe', 're":"☃"}'] }],
};
const whole = { toolCalls: [{ id: 'call_1', name: 'look', arguments: { where: '☃' } }] };

/** Where a stream may break: at each event's begin, just before and after, in its middle, within a character. */
function places(body: readonly string[]): number[] {
  const found = new Set<number>();
  let start = 0;
  for (const part of body) {
    const bytes = Buffer.from(part);
    const snow = bytes.indexOf(0xe2);
    const inner = [0, 1, bytes.length >> 1, bytes.length - 1];
    for (const offset of snow === -1 ? inner : [...inner, snow + 1]) found.add(start + offset);
    start += bytes.length;
  }
  return [...found].toSorted((a, b) => a - b);
}

describe.each(MODELS)('a cut stream of $name', ({ api, format, create }) => {
  it.each(['close', 'destroy'] as const)(
    'never takes a cut answer for a whole one (%s)',
    async (ending) => {
      const reply = format.answer(answer);
      const complete = completeFrom(reply.body, api);
      for (const cutAt of places(reply.body)) {
        wire.reply({ ...reply, cutAt, ending });
        const outcome = await adapter.generateStep(ask(create(wire.url))).then(
          (result) => ({ result }),
          (error: unknown) => ({ error }),
        );
        const where = `cut at ${cutAt} of ${Buffer.byteLength(reply.body.join(''))}`;
        if ('result' in outcome) {
          expect(cutAt, where).toBeGreaterThanOrEqual(complete);
          expect(outcome.result, where).toMatchObject(whole);
        } else {
          expect(HelixError.isInstance(outcome.error), where).toBe(true);
          expect(outcome.error, where).toMatchObject({ retryable: true });
        }
      }
    },
  );
});

/** The first byte after which the provider has said why it stopped, and so everything else. */
function completeFrom(body: readonly string[], api: string): number {
  const tail = { chat: 2, responses: 1, anthropic: 1 }[api] ?? 0;
  return Buffer.byteLength(body.slice(0, body.length - tail).join('')) - (api === 'chat' ? 2 : 0);
}
