import { anthropicCache } from '@helix-agents/core';
import { SIGNATURE, startWire, type WireServer } from '@helix-agents/testing/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBench } from './bench.ts';
import { MODELS, type ModelUnderTest } from './models.ts';
import { assertStrictBody } from './strict.ts';

let wire: WireServer;
beforeEach(async () => {
  wire = await startWire();
});
afterEach(() => wire.close());

const MARK = /,"cache_control":\{[^}]*\}/g;

/** A body up to the end of its messages, and what follows them. */
function split(api: ModelUnderTest['api'], body: string): { prefix: string; rest: string } {
  const request = JSON.parse(body) as Record<string, unknown>;
  const messages = JSON.stringify(request[api === 'responses' ? 'input' : 'messages']);
  const start = body.indexOf(messages);
  expect(start).toBeGreaterThan(0);
  const end = start + messages.length - 1;
  return { prefix: body.slice(0, end), rest: body.slice(end) };
}

/** Two turns with calls, an approval, a restart between each pair of runs, and a failed attempt. */
async function play(
  { format, create, api }: ModelUnderTest,
  cached: boolean,
): Promise<readonly string[]> {
  const bench = openBench();
  const agent = bench.agent({
    model: create(wire.url),
    ...(cached && { cache: anthropicCache() }),
  });
  const looks = ['{"where":"a"}', '{"where":"b"}'].map((input, index) => ({
    id: `call_look_${index}`,
    name: 'look',
    input: [input],
  }));
  const send = { id: 'call_send', name: 'send', input: ['{"to":"ann"}'] };
  wire.reply(
    format.answer({ thinking: 'Look first.', text: ['Looking.'], calls: looks }),
    format.answer({ calls: [{ id: 'call_broken', name: 'look', input: ['{"whe'] }] }),
    format.error(529, 'Overloaded', { 'retry-after-ms': '0' }),
    format.answer({ thinking: 'Now send.', calls: [send] }),
    format.answer({ text: ['Sent.'] }),
    format.answer({ thinking: 'Again.', calls: [{ ...looks[0]!, id: 'call_again' }] }),
    format.answer({ text: ['Still there.'] }),
  );
  const first = await bench.start(agent).execute(agent, 'Go', { sessionId: 's' });
  expect((await first.result()).status).toBe('suspended_client_tool');
  const other = bench.start(agent);
  const approval = { kind: 'approval-response', approved: true } as const;
  await other.submitToolResult({ ...approval, sessionId: 's', toolCallId: 'call_send' });
  const second = await other.resume('s');
  expect(await second.result()).toMatchObject({ output: 'Sent.' });
  const third = await bench.start(agent).execute(agent, 'And now?', { sessionId: 's' });
  expect(await third.result()).toMatchObject({ output: 'Still there.' });
  expect(wire.bodies.length).toBe(7);
  for (const body of wire.bodies) assertStrictBody(api, body);
  return wire.bodies;
}

describe.each(MODELS)('prompts of $name', (model) => {
  it('begin as the one before, byte by byte, over steps, resumes, restarts and turns', async () => {
    const bodies = await play(model, false);
    for (const [index, body] of bodies.entries()) {
      const before = bodies[index - 1];
      if (before === undefined) continue;
      const { prefix, rest } = split(model.api, before);
      expect(body.slice(0, prefix.length)).toBe(prefix);
      expect(split(model.api, body).rest).toBe(rest);
    }
    expect(bodies.join()).not.toContain('cache_control');
    if (model.api === 'anthropic') expect(bodies.at(-1)?.split(SIGNATURE).length).toBe(4);
    if (model.api === 'responses') expect(bodies.at(-1)).toContain('rs_1');
  });
});

describe.each(MODELS.filter(({ api }) => api === 'anthropic'))(
  'cached prompts of $name',
  (model) => {
    it('mark the system prompt and the latest results, and change nothing else', async () => {
      const bodies = await play(model, true);
      const marks = bodies.map((body) => body.match(MARK)?.length ?? 0);
      expect(marks).toEqual([1, 2, 2, 2, 2, 2, 2]);
      for (const [index, body] of bodies.entries()) {
        const request = JSON.parse(body) as {
          system: { cache_control?: object }[];
          messages: { content: { type: string; cache_control?: object }[] }[];
        };
        expect(request.system.at(-1)?.cache_control).toEqual({ type: 'ephemeral' });
        const results = request.messages.flatMap(({ content }) =>
          content.filter(({ type }) => type === 'tool_result'),
        );
        expect(results.at(-1)?.cache_control).toEqual(
          index === 0 ? undefined : { type: 'ephemeral' },
        );
        const before = bodies[index - 1]?.replace(MARK, '');
        if (before === undefined) continue;
        const { prefix } = split(model.api, before);
        expect(body.replace(MARK, '').slice(0, prefix.length)).toBe(prefix);
      }
    });
  },
);
