// If this fails: the chat of the AI SDK does not work through the server's routes, or reaches another's chat.
import { createResumeCookie, handleChatSnapshot, handleChatStream } from '@helix-agents/ai-sdk';
import { expect, it } from 'vitest';
import type { ChatHandler } from '../src/index.ts';
import { agents, CANARY } from './agents.ts';
import { checkAnswer } from './check-answer.ts';
import { createTestServer } from './fixtures.ts';

function chatServer() {
  const agent = agents['painter']!;
  const holder: { handler?: ChatHandler; snapshot?: ChatHandler } = {};
  const served = createTestServer({
    authenticate: ({ headers }) => {
      const id = headers['x-user'];
      return id === undefined ? false : { ok: true, principal: { id } };
    },
    chatHandler: (params) => holder.handler!(params),
    chatSnapshot: (params) => holder.snapshot!(params),
    resumeCookie: createResumeCookie,
  });
  const { executor, stores } = served;
  const chat = { executor, ...stores, agent };
  holder.handler = (params) => handleChatStream(chat, params);
  holder.snapshot = (params) => handleChatSnapshot(chat, params);
  const send = (user: string, path: string, body?: object): Promise<Response> =>
    served.server.fetch(
      new Request(`http://x${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'x-user': user, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
  return { ...served, send };
}

const says = (id: string, text: string) => ({
  id,
  trigger: 'submit-message',
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }],
});

it('streams a turn, takes an answer over the chat route, and goes on', async () => {
  const { send, stores } = chatServer();
  const first = await send('ada', '/chat', says('c1', 'color'));
  expect(first.headers.get('x-session-id')).toBe('c1');
  expect(first.headers.get('content-type')).toContain('text/event-stream');
  const asked = await first.text();
  expect(asked).toContain('"toolName":"pick_color"');
  expect(await stores.stateStore.loadState('c1')).toMatchObject({ userId: 'ada' });

  const answer = { toolCallId: 'color', result: { color: 'green' } };
  const submitted = await send('ada', '/chat/c1/submit-tool-result', answer);
  expect(await submitted.json()).toEqual({ status: 'accepted' });
  expect(submitted.headers.getSetCookie()[0]).toMatch(/^helix-resume-c1=\d+\./);

  const rest = await (await send('ada', '/chat/c1/stream')).text();
  expect(rest).toContain('green');
  expect(rest).toContain('"type":"finish"');
  const [row] = await stores.stateStore.sessions.readCalls('c1');
  expect(row?.answeredBy).toBe('ada');
});

it('shows the whole conversation to its owner, also before anything was streamed', async () => {
  const { send, server } = chatServer();
  await (await send('ada', '/chat', says('c1', 'color'))).text();
  const answer = await send('ada', '/chat/c1/snapshot');
  expect(answer.headers.get('x-session-id')).toBe('c1');
  const call = { method: 'GET', path: '/chat/c1/snapshot' };
  const snapshot = JSON.parse(await checkAnswer(server.openApi, call, answer));
  expect(snapshot).toMatchObject({ sessionId: 'c1', status: 'suspended_client_tool' });
  expect(snapshot.messages.map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
  ]);
  expect(snapshot.streamSequence).toBe((await server.getStatus('c1')).streamSequence);
  expect(JSON.stringify(snapshot)).toContain(CANARY);
});

it('shows nobody the chat of another', async () => {
  const { send } = chatServer();
  await (await send('ada', '/chat', says('c1', 'color'))).text();
  const taken = await send('bob', '/chat', says('c1', 'color'));
  expect([taken.status, await taken.text()]).toEqual([404, expect.not.stringContaining(CANARY)]);
  const attached = await send('bob', '/chat/c1/stream');
  expect([attached.status, await attached.text()]).toEqual([204, '']);
  for (const path of ['/chat/c1/snapshot', '/chat/c2/snapshot', '/chat/c2/stream']) {
    const nothing = await send('bob', path);
    expect([path, nothing.status, await nothing.text()]).toEqual([path, 204, '']);
  }
  const answer = { toolCallId: 'color', result: { color: 'red' } };
  const submitted = await send('bob', '/chat/c1/submit-tool-result', answer);
  expect(await submitted.json()).toEqual({
    status: 'unknown_tool_call',
    reason: 'session_not_found',
  });
});
