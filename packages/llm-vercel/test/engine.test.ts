import { assertValidTranscript, buildMessagesForLLM } from '@helix-agents/core';
import { startWire, type WireServer } from '@helix-agents/testing/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chunksOf, openBench } from './bench.ts';
import { MODELS } from './models.ts';
import { assertStrictBody } from './strict.ts';

let wire: WireServer;
beforeEach(async () => {
  wire = await startWire();
});
afterEach(() => wire.close());

const look = { id: 'call_1', name: 'look', input: ['{"where":', '"here"}'] };
const retryAtOnce = { 'retry-after-ms': '0' };

describe.each(MODELS)('$name in a run', ({ api, format, create }) => {
  it('leaves nothing of a stream that died within the input of a call (ATOM-10)', async () => {
    const bench = openBench();
    const agent = bench.agent({ model: create(wire.url) });
    const ghost = { id: 'call_ghost', name: 'send', input: ['{"to":"bo', 'b"}'] };
    const dying = format.answer({ text: ['Sending'], calls: [ghost] });
    const within = dying.body.findIndex((part) => part.includes('b\\"}'));
    wire.reply(
      { ...dying, body: dying.body.slice(0, within), ending: 'destroy' },
      format.answer({ calls: [look, { id: 'call_2', name: 'send', input: ['{"to":"ann"}'] }] }),
      format.answer({ text: ['Done.'] }),
    );
    const executor = bench.start(agent);
    const handle = await executor.execute(agent, 'Go', { sessionId: 's' });
    const chunks = await chunksOf(handle.stream());
    expect((await handle.result()).status).toBe('suspended_client_tool');
    expect(JSON.stringify(await bench.messages('s'))).not.toContain('ghost');
    const withdrawn = chunks.findIndex((chunk) => chunk.type === 'step_discarded');
    const ghostly = chunks.findLastIndex((chunk) => JSON.stringify(chunk).includes('call_ghost'));
    expect(ghostly).toBeGreaterThanOrEqual(0);
    expect(withdrawn).toBeGreaterThan(ghostly);
    await executor.submitToolResult({
      kind: 'approval-response',
      sessionId: 's',
      toolCallId: 'call_2',
      approved: true,
    });
    const end = await (await executor.resume('s')).result();
    expect(end).toMatchObject({ status: 'completed', output: 'Done.' });
    for (const body of wire.bodies) {
      assertStrictBody(api, body);
      expect(body).not.toContain('ghost');
    }
  });

  it('answers each impossible call with one error and asks on (ATOM-11)', async () => {
    const bench = openBench();
    const agent = bench.agent({ model: create(wire.url) });
    const calls = [
      { id: 'call_1', name: 'nowhere', input: ['{}'] },
      { id: 'call_2', name: 'constructor', input: ['{}'] },
      { id: 'call_3', name: '__finish__', input: ['{}'] },
      { id: 'call_4', name: 'look', input: ['null'] },
      { id: 'call_5', name: 'look', input: ['""'] },
      { id: 'call_6', name: 'look', input: ['[]'] },
      { id: 'call_7', name: 'look', input: ['{"where": "he'] },
      { id: 'call_8', name: 'look', input: [] },
      { id: 'call_1', name: 'look', input: ['{"where":"here"}'] },
    ];
    wire.reply(format.answer({ calls }), format.answer({ text: ['Sorry.'] }));
    const handle = await bench.start(agent).execute(agent, 'Go', { sessionId: 's' });
    expect(await handle.result()).toMatchObject({ status: 'completed', output: 'Sorry.' });
    expect(bench.looked).toEqual(['here']);
    const messages = await bench.messages('s');
    const results = messages.filter((message) => message.role === 'tool');
    expect(results.map((result) => result.errorDetail?.code ?? 'fine')).toEqual([
      'tool_not_found',
      'tool_not_found',
      'tool_not_found',
      'tool_input_invalid',
      'tool_input_invalid',
      'tool_input_invalid',
      'tool_input_invalid',
      'tool_input_invalid',
      'fine',
    ]);
    assertValidTranscript(buildMessagesForLLM('x', messages));
    for (const body of wire.bodies) assertStrictBody(api, body);
  });

  it('goes on after an interrupt within a model call (INTR-07)', async () => {
    const bench = openBench();
    const agent = bench.agent({ model: create(wire.url) });
    wire.reply(format.answer({ calls: [look] }), {
      ...format.answer({ text: ['never '.repeat(50)] }),
      cutAt: 300,
      ending: 'hang',
    });
    const executor = bench.start(agent);
    const handle = await executor.execute(agent, 'Go', { sessionId: 's' });
    await expect.poll(() => wire.bodies.length).toBe(2);
    await handle.interrupt('pause');
    expect((await handle.result()).status).toBe('interrupted');
    await expect.poll(() => wire.left).toBe(1);
    wire.reply(format.answer({ text: ['Seen.'] }));
    const resumed = await bench.start(agent).resume('s');
    expect(await resumed.result()).toMatchObject({ status: 'completed', output: 'Seen.' });
    expect(bench.looked).toEqual(['here']);
    expect(wire.bodies[2]).toBe(wire.bodies[1]);
  });

  it('shows its provider again what it had said when it was stopped (INTR-08)', async () => {
    const bench = openBench();
    const agent = bench.agent({ model: create(wire.url) });
    const speaking = format.answer({ text: ['Once upon', ' a time'] });
    const within = speaking.body.findIndex((part) => part.includes(' a time'));
    wire.reply({ ...speaking, body: speaking.body.slice(0, within), ending: 'hang' });
    const executor = bench.start(agent);
    const handle = await executor.execute(agent, 'Go', { sessionId: 's' });
    for await (const chunk of (await handle.stream()) ?? []) if (chunk.type === 'text_delta') break;
    await handle.interrupt();
    expect((await handle.result()).status).toBe('interrupted');
    wire.reply(format.answer({ text: ['Fine.'] }));
    const next = await executor.execute(agent, 'Something else', { sessionId: 's' });
    expect(await next.result()).toMatchObject({ status: 'completed', output: 'Fine.' });
    expect((await bench.messages('s'))[1]).toMatchObject({ content: 'Once upon', stopped: true });
    const body = wire.bodies.at(-1) ?? '';
    expect(body.split('Once upon')).toHaveLength(2);
    assertStrictBody(api, body);
  });

  it('waits as long as it is told to and asks again', async () => {
    const bench = openBench();
    const agent = bench.agent({ model: create(wire.url) });
    wire.reply(
      format.error(429, 'Slow down', retryAtOnce),
      format.error(529, 'Overloaded', retryAtOnce),
      format.answer({ text: ['Here.'] }),
    );
    const handle = await bench.start(agent).execute(agent, 'Go', { sessionId: 's' });
    expect(await handle.result()).toMatchObject({ status: 'completed', output: 'Here.' });
    expect(new Set(wire.bodies).size).toBe(1);
    expect(wire.bodies.length).toBe(3);
  });
});
