// The chat behind a real AgentServer: its routes, its authentication, its cookies.
import { AgentServer } from '@helix-agents/agent-server';
import { describe, expect, it } from 'vitest';
import { createHelixChatTransport, createHelixSendAutomaticallyWhen } from '../src/client.ts';
import {
  createResumeCookie,
  handleChatSnapshot,
  handleChatStream,
  type ChatSnapshot,
} from '../src/index.ts';
import { assistant, calls, executed, text } from './support/agents.ts';
import { sdks } from './support/sdks.ts';
import { createWorld, inShort, settled } from './support/world.ts';

const payThenSay = [calls({ id: 'p1', name: 'pay', arguments: { amount: 5 } }), text('Paid.')];

function createServer(world: ReturnType<typeof createWorld>): AgentServer {
  const { deps } = world;
  return new AgentServer({
    executor: deps.executor,
    stateStore: deps.stateStore,
    streamManager: deps.streamManager,
    agents: { assistant },
    authenticate: ({ headers }) =>
      headers['authorization'] === 'Bearer kim' ? { ok: true, principal: { id: 'kim' } } : false,
    chatHandler: (params) => handleChatStream(deps, params),
    chatSnapshot: (params) => handleChatSnapshot(deps, params),
    resumeCookie: createResumeCookie,
  });
}

for (const sdk of sdks) {
  describe(`an AgentServer with ${sdk.name}`, () => {
    it('serves a chat: a message, an approval, a reconnect, a stranger', async () => {
      const world = createWorld(assistant, { assistant: payThenSay });
      const server = createServer(world);
      const fetch = ((input: string, init: RequestInit = {}) => {
        const { signal: _, ...rest } = init;
        return server.fetch(new Request(input, rest));
      }) as typeof globalThis.fetch;
      const api = 'http://server.test/chat';
      const open = (authorization: string): ReturnType<typeof sdk.createChat> =>
        sdk.createChat({
          id: 'served',
          transport: createHelixChatTransport({ api, fetch, headers: { authorization } }),
          sendAutomaticallyWhen: createHelixSendAutomaticallyWhen(),
        });

      const stranger = open('Bearer nobody');
      await stranger.sendMessage({ text: 'Pay' });
      expect([stranger.status, stranger.messages.length]).toEqual(['error', 1]);

      const chat = open('Bearer kim');
      await chat.sendMessage({ text: 'Pay' });
      expect(chat.error).toBeUndefined();
      const part = chat.lastMessage?.parts.at(-1) as { approval: { id: string } };
      await chat.addToolApprovalResponse({ id: part.approval.id, approved: true });
      await settled(chat);
      expect(inShort(chat.lastMessage)).toBe('[step] tool-pay:output-available [step] Paid.');
      expect(executed.at(-1)).toBe('served:5');
      const { items } = await world.executor.listSessions({ userId: 'kim' });
      expect(items.map(({ sessionId }) => sessionId)).toEqual(['served']);

      const page = open('Bearer kim');
      await page.resumeStream();
      expect(inShort(page.lastMessage)).toBe(inShort(chat.lastMessage));

      const load = (authorization: string): Promise<Response> =>
        fetch(`${api}/served/snapshot`, { headers: { authorization } });
      expect((await load('Bearer nobody')).status).toBe(401);
      const { messages } = (await (await load('Bearer kim')).json()) as ChatSnapshot;
      expect(messages.map(inShort)).toEqual(chat.messages.map(inShort));
    });
  });
}

describe('an AgentServer', () => {
  it('has its name on what the executor logs about its chats', async () => {
    const { deps } = createWorld(assistant, { assistant: payThenSay });
    const named: unknown[] = [];
    const executor = new Proxy(deps.executor, {
      get(target, name) {
        if (name !== 'execute') return Reflect.get(target, name) as unknown;
        return (...given: Parameters<typeof target.execute>) => {
          named.push(given[2]?.serviceName);
          return target.execute(...given);
        };
      },
    });
    const server = new AgentServer({
      executor,
      stateStore: deps.stateStore,
      serviceName: 'api',
      allowUnauthenticated: true,
      chatHandler: (params) => handleChatStream({ ...deps, executor }, params),
    });
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Pay' }] };
    const response = await server.fetch(
      new Request('http://server.test/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id: 'named', messages: [message] }),
      }),
    );
    expect(await response.text()).toContain('tool-approval-request');
    expect(named).toEqual(['api']);
  });

  it('says with a cookie where the conversation was when it took an answer', async () => {
    const world = createWorld(assistant, { assistant: payThenSay });
    const server = createServer(world);
    await (
      await world.executor.execute(assistant, 'Pay', { sessionId: 's', userId: 'kim' })
    ).result();
    const body = JSON.stringify({
      kind: 'approval-response',
      sessionId: 's',
      toolCallId: 'p1',
      approved: false,
    });
    const response = await server.fetch(
      new Request('http://server.test/chat/s/submit-tool-result', {
        method: 'POST',
        body,
        headers: {
          authorization: 'Bearer kim',
          'content-type': 'application/json',
          'content-length': String(body.length),
        },
      }),
    );
    expect(await response.json()).toMatchObject({ status: 'accepted' });
    const { streamSequence } = await world.snapshot('s');
    expect(response.headers.getSetCookie()[0]).toContain(`helix-resume-s=${streamSequence}.`);
  });
});
