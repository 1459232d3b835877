// If this fails: the token of one session, or the login of one person, opens the session of another.
import { beforeEach, describe, expect, it } from 'vitest';
import { createSessionTokens, type Principal } from '../src/index.ts';
import { agents, CANARY } from './agents.ts';
import { everyRoute, toRequest, type RouteCall } from './every-route.ts';
import { createTestServer } from './fixtures.ts';
import { SECRET } from './server-process.ts';

const painter = agents['painter']!;
const tokens = createSessionTokens({ secret: SECRET });

async function twoSessions(principal: (header: string | undefined) => Principal | null) {
  const served = createTestServer({
    chatHandler: ({ sessionId }) => new Response(`${CANARY} ${sessionId}`),
    chatSnapshot: ({ sessionId }) => new Response(`${CANARY} ${sessionId}`),
    authenticate: ({ headers }) => {
      const found = principal(headers['authorization']);
      return found ? { ok: true, principal: found } : false;
    },
  });
  for (const [sessionId, userId] of [
    ['a', 'ada'],
    ['b', 'bob'],
  ] as const) {
    const handle = await served.executor.execute(painter, 'color', { sessionId, userId });
    await handle.result();
  }
  return served;
}

/** What an answer says, without the parts that name the session asked for. */
async function shapeOf(answer: Response, sessionId: string): Promise<unknown> {
  const text = await answer.text();
  return [answer.status, text.replaceAll(new RegExp(`\\b${sessionId}\\b`, 'g'), '<id>')];
}

const named = (sessionId: string): RouteCall[] =>
  everyRoute(sessionId).filter(
    ({ operation }) => !['list-sessions', 'openapi'].includes(operation),
  );

describe('HTTP-03 a token of session a', () => {
  const bound = async () => {
    const { token } = await tokens.issue({ sessionId: 'a', id: 'ada' });
    const served = createTestServer({
      authenticate: tokens.authenticator(),
      chatHandler: () => new Response(CANARY),
      chatSnapshot: () => new Response(CANARY),
    });
    for (const sessionId of ['a', 'b']) {
      await (await served.executor.execute(painter, 'color', { sessionId })).result();
    }
    return { ...served, headers: { authorization: `Bearer ${token}` } };
  };

  it('opens no other session, and does not say whether it exists', async () => {
    const { server, headers } = await bound();
    const [there, missing] = [named('b'), named('nobody')];
    for (const [index, call] of there.entries()) {
      const real = await shapeOf(await server.fetch(toRequest(call, headers)), 'b');
      const made = await shapeOf(await server.fetch(toRequest(missing[index]!, headers)), 'nobody');
      expect(real, call.path).toEqual(made);
      expect(real, call.path).toEqual([403, expect.not.stringContaining(CANARY)]);
    }
  });

  it('lists its own session and calls alone', async () => {
    const { server, headers } = await bound();
    const get = async (path: string): Promise<{ items: { sessionId: string }[] }> =>
      (await server.fetch(toRequest({ operation: '', method: 'GET', path }, headers))).json();
    for (const path of ['/sessions', '/open-calls']) {
      expect((await get(path)).items.map((one) => one.sessionId)).toEqual(['a']);
    }
  });

  it('starts no session', async () => {
    const { server, headers } = await bound();
    const body = { agentType: 'painter', message: 'x' };
    const call: RouteCall = { operation: 'start', method: 'POST', path: '/start', body };
    expect((await server.fetch(toRequest(call, headers))).status).toBe(403);
  });

  it('works for its own session, with the holder as who answered', async () => {
    const { server, headers, stores } = await bound();
    const body = { sessionId: 'a', toolCallId: 'color', result: { color: 'red' } };
    const call: RouteCall = { operation: '', method: 'POST', path: '/submit-tool-result', body };
    const forged = { ...call, body: { ...body, answeredBy: 'mallory' } };
    expect((await server.fetch(toRequest(forged, headers))).status).toBe(200);
    const [row] = await stores.stateStore.sessions.readCalls('a');
    expect(row?.answeredBy).toBe('ada');
  });

  it.each([
    ['/chat/a/submit-tool-result', { sessionId: 'b', toolCallId: 'color', result: 1 }],
    ['/chat/a/abort', { sessionId: 'b' }],
    ['/chat/a/interrupt', { sessionId: 'b' }],
    ['/chat/b/abort', { sessionId: 'a' }],
  ])('is refused where path and body name different sessions: %s %j', async (path, body) => {
    const { server, headers } = await bound();
    const answer = await server.fetch(
      toRequest({ operation: '', method: 'POST', path, body }, headers),
    );
    expect([400, 403]).toContain(answer.status);
  });

  it.each([
    ['/resume', { sessionId: 'a' }],
    ['/interrupt', { sessionId: 'a' }],
    ['/abort', { sessionId: 'a' }],
    ['/submit-tool-result', { sessionId: 'a', toolCallId: 'color', result: { color: 'x' } }],
    ['/start', { sessionId: 'a', agentType: 'painter', message: 'x' }],
    ['/chat', { id: 'a', messages: [] }],
    ['/chat/a/abort', {}],
    ['/chat/a/stream', undefined],
    ['/sessions/a', undefined],
  ])('is refused where the query names another session: %s', async (path, body) => {
    const { server, headers } = await bound();
    const method = body ? 'POST' : 'GET';
    const ask = (query: string): Promise<Response> =>
      server.fetch(
        toRequest({ operation: '', method, path: path + query, ...(body && { body }) }, headers),
      );
    expect((await ask('?sessionId=b')).status).toBe(400);
    expect((await ask('?sessionId=a&sessionId=b')).status).toBe(400);
  });

  it.each(['/status?sessionId=a&sessionId=b', '/sse?sessionId=a&sessionId=b'])(
    'cannot name two sessions at once: %s',
    async (path) => {
      const { server, headers } = await bound();
      const answer = await server.fetch(toRequest({ operation: '', method: 'GET', path }, headers));
      expect(answer.status).toBe(400);
    },
  );
});

describe('a person', () => {
  const asUser = (header: string | undefined): Principal | null =>
    header === undefined ? null : (JSON.parse(header) as Principal);
  const ada = { authorization: JSON.stringify({ id: 'ada' }) };
  let served: Awaited<ReturnType<typeof twoSessions>>;
  beforeEach(async () => {
    served = await twoSessions(asUser);
  });

  it("sees another's session as one that does not exist", async () => {
    const [there, missing] = [named('b'), named('nobody')];
    for (const [index, call] of there.entries()) {
      // What does not exist may be begun.
      if (call.operation === 'start' || call.operation === 'chat') continue;
      const real = await shapeOf(await served.server.fetch(toRequest(call, ada)), 'b');
      const made = await shapeOf(
        await served.server.fetch(toRequest(missing[index]!, ada)),
        'nobody',
      );
      expect(real, call.path).toEqual(made);
    }
    const { status } = (await served.stores.stateStore.loadState('b'))!;
    expect(status).toBe('active');
  });

  it("cannot start or chat under the id of another's session", async () => {
    for (const call of named('b').filter(({ operation }) =>
      ['start', 'chat'].includes(operation),
    )) {
      const answer = await served.server.fetch(toRequest(call, ada));
      expect([answer.status, await answer.text()]).toEqual([
        404,
        expect.not.stringContaining(CANARY),
      ]);
    }
  });

  it('lists its own and is refused those of another', async () => {
    const get = (path: string): Promise<Response> =>
      served.server.fetch(toRequest({ operation: '', method: 'GET', path }, ada));
    for (const path of [
      '/sessions',
      '/open-calls',
      '/sessions?userId=ada',
      '/open-calls?userId=ada',
    ]) {
      const page = (await (await get(path)).json()) as { items: { sessionId: string }[] };
      expect(page.items.map((one) => one.sessionId)).toEqual(['a']);
    }
    for (const path of ['/sessions?userId=bob', '/open-calls?userId=bob']) {
      expect((await get(path)).status).toBe(403);
    }
  });

  it('owns what it starts', async () => {
    const body = { agentType: 'painter', message: 'x', userId: 'bob' };
    const call: RouteCall = { operation: '', method: 'POST', path: '/start', body };
    const started = (await (await served.server.fetch(toRequest(call, ada))).json()) as {
      sessionId: string;
    };
    const { sessionId } = started;
    expect(await served.stores.stateStore.loadState(sessionId)).toMatchObject({ userId: 'ada' });
  });

  it('may touch everything with access to all', async () => {
    const grace = { authorization: JSON.stringify({ id: 'grace', access: 'all' }) };
    const get = (path: string): Promise<Response> =>
      served.server.fetch(toRequest({ operation: '', method: 'GET', path }, grace));
    expect((await get('/status?sessionId=b')).status).toBe(200);
    const { items } = (await (await get('/open-calls')).json()) as { items: unknown[] };
    expect(items).toHaveLength(2);
  });
});

describe('tokens that /start gives', () => {
  const start = (body: object): Request =>
    toRequest({
      operation: '',
      method: 'POST',
      path: '/start',
      body: { agentType: 'painter', message: 'x', ...body },
    });
  const open = () =>
    createTestServer({
      sessionTokens: tokens,
      authenticate: tokens.authenticator((request) => request.operation === 'start'),
    });

  it('open the new session, whose id the server chose', async () => {
    const { server } = open();
    const answer = (await (await server.fetch(start({}))).json()) as {
      sessionId: string;
      token: string;
    };
    expect(answer.sessionId).toMatch(/^[\da-f-]{36}$/);
    const status = await server.fetch(
      new Request(`http://server/status?sessionId=${answer.sessionId}`, {
        headers: { authorization: `Bearer ${answer.token}` },
      }),
    );
    expect(status.status).toBe(200);
  });

  it('are not exchanged for younger ones', async () => {
    const { server } = open();
    const message = 'color';
    const { sessionId, token } = (await (await server.fetch(start({ message }))).json()) as {
      sessionId: string;
      token: string;
    };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ agentType: 'painter', message, sessionId });
    const again = await server.fetch(
      new Request('http://server/start', { method: 'POST', headers, body }),
    );
    const answer = (await again.json()) as object;
    expect([again.status, answer]).toEqual([200, expect.objectContaining({ sessionId })]);
    expect(answer).not.toHaveProperty('token');
  });

  it('are not given to somebody who only names a session', async () => {
    const { server, executor } = open();
    await (await executor.execute(painter, 'color', { sessionId: 'victim' })).result();
    for (const sessionId of ['victim', 'new-one']) {
      const answer = await server.fetch(start({ sessionId }));
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.not.stringContaining('hs1.'),
      ]);
    }
  });
});
