// If this fails: the chat of the AI SDK does not work through the server's routes, or reaches another's chat.
import { handleChatSnapshot, handleChatStream } from '@helix-agents/ai-sdk';
import { expect, it } from 'vitest';
import { createSubmitToolResultSchema } from '@helix-agents/core';
import type { AgentServerConfig, ChatHandler } from '../src/index.ts';
import { agents, CANARY } from './agents.ts';
import { checkAnswer } from './check-answer.ts';
import { createTestServer } from './fixtures.ts';

function chatServer(overrides: Partial<AgentServerConfig> = {}) {
  const agent = agents['painter']!;
  const holder: { handler?: ChatHandler; snapshot?: ChatHandler } = {};
  const served = createTestServer({
    authenticate: ({ headers }) => {
      const id = headers['x-user'];
      return id === undefined ? false : { ok: true, principal: { id } };
    },
    chatHandler: (params) => holder.handler!(params),
    chatSnapshot: (params) => holder.snapshot!(params),
    ...overrides,
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

it('sets no cookie where it is switched off', async () => {
  const { send } = chatServer({ resumeCookie: false });
  await (await send('ada', '/chat', says('c1', 'color'))).text();
  const answer = { toolCallId: 'color', result: { color: 'green' } };
  const submitted = await send('ada', '/chat/c1/submit-tool-result', answer);
  expect([submitted.status, submitted.headers.getSetCookie()]).toEqual([200, []]);
});

interface PostedAnswer {
  readonly toolCallId: string;
  readonly output: unknown;
}

const answersWith = (id: string, answers: readonly PostedAnswer[]) => ({
  id,
  messages: [
    {
      id: 'reply-m1',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        ...answers.map((answer) => ({
          type: 'tool-anything',
          state: 'output-available',
          input: {},
          ...answer,
        })),
      ],
    },
  ],
});

it('counts answers in a chat message by the rate limit of submissions', async () => {
  const { send, stores } = chatServer({ rateLimit: { submitsPerMinute: 2 } });
  await (await send('ada', '/chat', says('c1', 'color'))).text();
  const forged = answersWith('c1', [{ toolCallId: 'nobody', output: 1 }]);
  for (let count = 0; count < 2; count += 1) await (await send('ada', '/chat', forged)).text();
  const refused = await send(
    'ada',
    '/chat',
    answersWith('c1', [{ toolCallId: 'color', output: { color: 'red' } }]),
  );
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: 'RATE_LIMITED' });
  expect(await stores.stateStore.sessions.readCalls('c1')).toMatchObject([{ state: 'open' }]);
});

it('does not count what a chat message repeats of earlier answers', async () => {
  const { send } = chatServer({ rateLimit: { submitsPerMinute: 2 } });
  await (await send('ada', '/chat', says('c1', 'color'))).text();
  const color = { toolCallId: 'color', output: { color: 'red' } };
  const earlier = ['a', 'b', 'c'].map((toolCallId) => ({ toolCallId, output: 1 }));
  const taken = await send('ada', '/chat', answersWith('c1', [...earlier, color]));
  expect([taken.status, await taken.text()]).toEqual([200, expect.stringContaining('red')]);
});

it('holds answers in a chat message to maxResultBytes of its schema', async () => {
  const submitToolResultSchema = createSubmitToolResultSchema({ maxResultBytes: 100 });
  const { send, stores } = chatServer({ submitToolResultSchema, maxBodyBytes: 10_000 });
  await (await send('ada', '/chat', says('c1', 'anything'))).text();
  const large = answersWith('c1', [{ toolCallId: 'any', output: 'x'.repeat(200) }]);
  const refused = await send('ada', '/chat', large);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    code: 'INVALID_REQUEST',
    details: [{ message: expect.stringContaining('100 bytes') }],
  });
  expect(await stores.stateStore.sessions.readCalls('c1')).toMatchObject([{ state: 'open' }]);
});

it('refuses a chat message with more answers than a step has', async () => {
  const { send } = chatServer();
  await (await send('ada', '/chat', says('c1', 'color'))).text();
  const many = Array.from({ length: 51 }, (_, at) => ({ toolCallId: `c${at}`, output: 1 }));
  const refused = await send('ada', '/chat', answersWith('c1', many));
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ details: [{ path: 'messages' }] });
});
