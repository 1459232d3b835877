import type { LLMTool, Message } from '@helix-agents/core';
import { startWire, type WireServer } from '@helix-agents/testing/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VercelAIAdapter } from '../src/index.ts';
import { ask } from './ask.ts';
import { MODELS } from './models.ts';

let wire: WireServer;
beforeEach(async () => {
  wire = await startWire();
});
afterEach(() => wire.close());

const adapter = new VercelAIAdapter();
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const strict: LLMTool = {
  name: 'exact',
  description: 'Takes exactly this.',
  strict: true,
  inputSchema: {
    type: 'object',
    properties: { deep: { type: 'array', items: { type: 'object', properties: {} } } },
    required: ['deep'],
  },
};

describe.each(MODELS)('requests of $name', ({ api, version, format, create }) => {
  const send = async (change: Parameters<typeof ask>[1]): Promise<string> => {
    wire.reply(format.answer({ text: ['ok'] }));
    await adapter.generateStep(ask(create(wire.url), change));
    return wire.bodies.at(-1) ?? '';
  };

  it('carry settings, headers and the choice of tools', async () => {
    const model = create(wire.url);
    const body = await send({
      config: {
        model,
        maxOutputTokens: 77,
        temperature: 0.25,
        headers: { 'x-team': 'seven' },
        toolChoice: { toolName: 'look' },
      },
    });
    expect(wire.headers.at(-1)?.['x-team']).toBe('seven');
    expect(body).toMatch(/"max_(output_)?tokens":77/);
    // A reasoning model takes no temperature; its provider leaves it out.
    if (api !== 'responses') expect(body).toContain('"temperature":0.25');
    expect((JSON.parse(body) as { tool_choice: object }).tool_choice).toMatchObject(
      api === 'anthropic' ? { type: 'tool', name: 'look' } : { type: 'function' },
    );
    expect(JSON.parse(body)).toMatchObject({ stream: true });
  });

  it('carry files of a user message, as data and by address', async () => {
    const user: Message = {
      role: 'user',
      content: 'What is this?',
      files: [
        { data: `data:image/png;base64,${PIXEL}`, mediaType: 'image/png' },
        { data: 'https://example.com/cat.png', mediaType: 'image/png' },
      ],
    };
    const body = await send({ messages: [user] });
    expect(body).toContain(PIXEL);
    expect(body).toContain('https://example.com/cat.png');
  });

  it('ask for strict tools with closed schemas', async () => {
    const body = await send({ tools: [strict] });
    const [tool] = (JSON.parse(body) as { tools: Record<string, unknown>[] }).tools;
    expect(JSON.stringify(tool).split('"additionalProperties":false').length).toBe(3);
    if (version !== 'v2') expect(JSON.stringify(tool)).toContain('"strict":true');
  });

  it('refuse files that are neither data nor an address', async () => {
    const user: Message = {
      role: 'user',
      content: '',
      files: [{ data: '/etc/passwd', mediaType: 'text/plain' }],
    };
    const call = adapter.generateStep(ask(create(wire.url), { messages: [user] }));
    await expect(call).rejects.toMatchObject({ code: 'provider_request_invalid' });
    expect(wire.bodies.length).toBe(0);
  });
});
