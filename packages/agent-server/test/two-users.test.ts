// If this fails: two users who name the same new session at once both write to it.
import { handleChatStream } from '@helix-agents/ai-sdk';
import { expect, it } from 'vitest';
import type { ChatHandler } from '../src/index.ts';
import { agents } from './agents.ts';
import { createTestServer } from './fixtures.ts';

function serverOfTwo() {
  const holder: { handler?: ChatHandler } = {};
  const served = createTestServer({
    authenticate: ({ headers }) => {
      const id = headers['x-user'] ?? '';
      const access = id === 'operator' ? ('all' as const) : ('own' as const);
      return { ok: true, principal: { id, access } };
    },
    chatHandler: (params) => holder.handler!(params),
  });
  const { executor, stores } = served;
  const chat = { executor, ...stores, agent: agents['painter']! };
  holder.handler = (params) => handleChatStream(chat, params);
  const send = async (user: string, path: string, body: object): Promise<number> => {
    const request = new Request(`http://x${path}`, {
      method: 'POST',
      headers: { 'x-user': user, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const response = await served.server.fetch(request);
    await response.text();
    return response.status;
  };
  return { ...served, send };
}

const says = (user: string) => ({
  id: 's',
  trigger: 'submit-message',
  messages: [{ id: `of-${user}`, role: 'user', parts: [{ type: 'text', text: user }] }],
});

const routes = {
  '/chat': says,
  '/start': (user: string) => ({ agentType: 'painter', sessionId: 's', message: user }),
};

it.each(Object.keys(routes) as (keyof typeof routes)[])(
  'POST %s of several users at once lets one of them in',
  async (path) => {
    const { send, stores } = serverOfTwo();
    const users = ['ada', 'bob', 'cid'];
    const statuses = await Promise.all(users.map((user) => send(user, path, routes[path](user))));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    const { messages } = await stores.stateStore.getMessages('s');
    const winner = users[statuses.indexOf(200)];
    const said = messages.flatMap((one) => (one.role === 'user' ? [one.content] : []));
    expect(said).toEqual([winner]);
    expect(await stores.stateStore.loadState('s')).toMatchObject({ userId: winner });
  },
);

it('POST /chat of an operator adds to the session of a user, which stays theirs', async () => {
  const { send, stores } = serverOfTwo();
  expect(await send('ada', '/chat', says('ada'))).toBe(200);
  expect(await send('operator', '/chat', says('operator'))).toBe(200);
  expect(await stores.stateStore.loadState('s')).toMatchObject({ userId: 'ada' });
});
