// If this fails: somebody who was never let in reads or changes a session.
import type { StateStore } from '@helix-agents/core';
import type { SessionIndex, SessionStore } from '@helix-agents/core/store';
import { describe, expect, it, vi } from 'vitest';
import { AgentServer, type Authenticate, type AuthenticateResult } from '../src/index.ts';
import { agents } from './agents.ts';
import { everyRoute, toRequest } from './every-route.ts';
import { createTestServer } from './fixtures.ts';

const routes = everyRoute('s1');

/** Parts that fail the test when anything of them is touched. */
function untouchable(): { readonly parts: object; readonly touched: string[] } {
  const touched: string[] = [];
  const trap = <T extends object>(name: string): T =>
    new Proxy({} as T, {
      get(_target, property) {
        touched.push(`${name}.${String(property)}`);
        return () => Promise.reject(new Error('touched'));
      },
    });
  const stateStore: StateStore = {
    sessions: trap<SessionStore>('sessions'),
    index: trap<SessionIndex>('index'),
  };
  const chatHandler = (): Response => {
    touched.push('chatHandler');
    return new Response();
  };
  return {
    parts: {
      agents,
      stateStore,
      chatHandler,
      chatSnapshot: chatHandler,
      executor: trap('executor'),
      streamManager: trap('streams'),
    },
    touched,
  };
}

describe('HTTP-01 who may call', () => {
  it('has no server without the choice', () => {
    expect(() => new AgentServer({})).toThrow(/authenticate/);
    expect(() => new AgentServer({ allowUnauthenticated: false })).toThrow(/authenticate/);
    expect(() => new AgentServer({ authenticate: true as never })).toThrow(/function/);
    expect(() => new AgentServer({ allowUnauthenticated: 'true' as never })).toThrow(
      /authenticate/,
    );
  });

  it('says on the console and in the log that everybody may', () => {
    const shown = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    const warn = vi.fn();
    const logger = { info: vi.fn(), warn, error: vi.fn() };
    const server = new AgentServer({ allowUnauthenticated: true, serviceName: 'api-v2', logger });
    expect(server.handles('/start')).toBe(true);
    expect(warn).toHaveBeenCalledWith(
      'server.unauthenticated',
      expect.objectContaining({ service: 'api-v2' }),
    );
    expect(shown.mock.calls[0]?.[0]).toContain('"api-v2"');
    shown.mockRestore();
  });

  const refusing: [string, Authenticate, number][] = [
    ['false', () => false, 401],
    ['undefined', () => undefined as never, 401],
    ['an empty object', () => ({}) as never, 401],
    ['a word', () => 'yes' as never, 401],
    ['1', () => 1 as never, 401],
    ['ok that is not true', () => ({ ok: 'true' }) as never, 401],
    ['a principal that says nothing', () => ({ ok: true, principal: {} }), 401],
    ['a principal of odd types', () => ({ ok: true, principal: { id: 7 } }) as never, 401],
    ['a principal with an empty id', () => ({ ok: true, principal: { id: '' } }), 401],
    ['a principal that is an empty text', () => ({ ok: true, principal: '' }), 401],
    ['a principal without a value', () => ({ ok: true, principal: null }) as never, 401],
    ['an error', () => ({ error: 'no' }), 401],
    ['an error with a status', () => ({ error: 'no', status: 403 }), 403],
    ['an error with a status that would let in', () => ({ error: 'no', status: 200 }), 401],
    ['a refusal', () => ({ ok: false, error: 'no', status: 402 }), 402],
    [
      'a throw',
      () => {
        throw new Error('db is down, password hunter2');
      },
      503,
    ],
    ['a rejection', async () => Promise.reject(new Error('password hunter2')), 503],
    ['nothing, ever', () => new Promise<AuthenticateResult>(() => undefined), 503],
  ];

  it('takes a principal that is a text for the id of a person', async () => {
    const authenticate: Authenticate = ({ headers }) => ({
      ok: true,
      principal: String(headers['x-user']),
    });
    const { server, stores } = createTestServer({ authenticate });
    const ask = (user: string, path: string, body?: object): Promise<Response> =>
      server.fetch(
        new Request(`http://x${path}`, {
          method: body ? 'POST' : 'GET',
          headers: { 'x-user': user, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        }),
      );
    const start = { sessionId: 's1', agentType: 'painter', message: 'color' };
    expect((await ask('ada', '/start', start)).status).toBe(200);
    expect(await stores.stateStore.loadState('s1')).toMatchObject({ userId: 'ada' });
    const seen = ['ada', 'bob'].map((user) => ask(user, '/status?sessionId=s1'));
    expect((await Promise.all(seen)).map(({ status }) => status)).toEqual([200, 404]);
  });

  it.each(refusing)(
    'refuses every route where the hook gives %s',
    async (_, authenticate, status) => {
      const { parts, touched } = untouchable();
      const server = new AgentServer({ ...parts, authenticate, authenticateTimeoutMs: 20 });
      const answers = await Promise.all(routes.map((call) => server.fetch(toRequest(call))));
      expect(answers.map((answer) => answer.status)).toEqual(routes.map(() => status));
      for (const answer of answers) {
        const text = await answer.text();
        expect(JSON.parse(text)).toMatchObject({
          error: expect.any(String),
          code: expect.any(String),
        });
        expect(text).not.toContain('hunter2');
      }
      expect(touched).toEqual([]);
    },
  );

  it('asks the hook once for each route, by its operation, with headers and body as plain data', async () => {
    const { parts } = untouchable();
    const seen: unknown[] = [];
    const authenticate: Authenticate = (request, operation) => {
      const { headers, body, sessionId, method } = request;
      seen.push([operation, request.operation, method, headers['x-key'], body, sessionId]);
      expect(request.request.headers.get('x-key')).toBe('v');
      return false;
    };
    const server = new AgentServer({ ...parts, authenticate });
    for (const call of routes) await server.fetch(toRequest(call, { 'X-Key': 'v' }));
    expect(seen).toEqual(
      routes.map(({ operation, method, body, path }) => [
        operation,
        operation,
        method,
        'v',
        body,
        ['/sessions', '/openapi.json'].includes(path) ? undefined : 's1',
      ]),
    );
  });

  it('shows the hook the session that the route uses, and no id that it ignores', async () => {
    const { parts } = untouchable();
    const seen: unknown[] = [];
    const server = new AgentServer({
      ...parts,
      authenticate: ({ sessionId }) => {
        seen.push(sessionId);
        return false;
      },
    });
    const ignored: [string, object?][] = [
      ['/sessions?sessionId=mine'],
      ['/sessions?id=mine'],
      ['/openapi.json?sessionId=mine'],
      ['/open-calls?id=mine'],
      ['/status?id=mine'],
      ['/start?sessionId=mine', { agentType: 'painter', message: 'x' }],
      ['/start', { id: 'mine', agentType: 'painter', message: 'x' }],
      ['/abort', { id: 'mine' }],
      ['/chat?sessionId=mine', { messages: [] }],
    ];
    for (const [path, body] of ignored) {
      const method = body ? 'POST' : 'GET';
      await server.fetch(toRequest({ operation: '', method, path, ...(body && { body }) }));
    }
    expect(seen).toEqual(ignored.map(() => undefined));
  });

  it('gives no listing to a plain yes: it was said to a session, not to everybody’s', async () => {
    const { server, executor } = createTestServer({
      authenticate: ({ sessionId }) => sessionId === undefined || sessionId === 's1',
    });
    for (const sessionId of ['s1', 's2'])
      await (await executor.execute(agents['painter']!, 'color', { sessionId })).result();
    const get = async (path: string): Promise<[number, string[] | undefined]> => {
      const answer = await server.fetch(toRequest({ operation: '', method: 'GET', path }));
      const { items } = (await answer.json()) as { items?: { sessionId: string }[] };
      return [answer.status, items?.map(({ sessionId }) => sessionId)];
    };
    for (const path of ['/sessions', '/sessions?sessionId=s1', '/open-calls', '/open-calls?id=s1'])
      expect(await get(path), path).toEqual([403, undefined]);
    expect(await get('/open-calls?sessionId=s1')).toEqual([200, ['s1']]);
    expect((await get('/open-calls?sessionId=s2'))[0]).toBe(401);
  });

  it('answers health without asking, and without looking anything up', async () => {
    const { parts, touched } = untouchable();
    const server = new AgentServer({ ...parts, authenticate: () => false, serviceName: 'api' });
    const answer = await server.fetch(new Request('http://server/health'));
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok', service: 'api' }]);
    expect(touched).toEqual([]);
  });
});

describe('HTTP-02 paths and methods', () => {
  const refuse: Authenticate = () => false;

  it.each([
    '/start/',
    '//start',
    '/START',
    '/Start',
    '/start%20',
    '/',
    '',
    '/sessions/',
    '/chat/x',
    '/{sessionId}',
    '/sessions/{sessionId}/x',
    '/chat/%2Fstream',
  ])('knows no %j', async (path) => {
    const { parts, touched } = untouchable();
    const server = new AgentServer({ ...parts, authenticate: refuse });
    for (const method of ['GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE']) {
      const answer = await server.fetch(new Request(`http://server${path}`, { method }));
      expect(answer.status).toBe(404);
    }
    expect(touched).toEqual([]);
  });

  it('refuses methods a route does not have, and says which it has', async () => {
    const { parts, touched } = untouchable();
    const server = new AgentServer({ ...parts, authenticate: () => true });
    for (const call of routes) {
      const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => one !== call.method);
      for (const method of others) {
        const answer = await server.fetch(new Request(`http://server${call.path}`, { method }));
        expect(answer.status).toBe(405);
        expect(answer.headers.get('allow')).toContain(call.method);
      }
    }
    expect(touched).toEqual([]);
  });

  it('answers HEAD like GET without a body, and asks the hook first', async () => {
    const asked: string[] = [];
    const { server, executor } = createTestServer({
      authenticate: (request) => {
        asked.push(request.method);
        return { ok: true, principal: { access: 'all' } };
      },
    });
    await (await executor.execute(agents['painter']!, 'x', { sessionId: 's1' })).result();
    for (const { path, method } of routes) {
      if (method !== 'GET' || path.startsWith('/chat')) continue;
      const answer = await server.fetch(new Request(`http://server${path}`, { method: 'HEAD' }));
      expect([answer.status, answer.body]).toEqual([200, null]);
    }
    expect(new Set(asked)).toEqual(new Set(['HEAD']));
  });

  it('answers OPTIONS without asking: it tells nothing and does nothing', async () => {
    const { parts, touched } = untouchable();
    const server = new AgentServer({ ...parts, authenticate: refuse });
    for (const { path } of routes) {
      const answer = await server.fetch(new Request(`http://server${path}`, { method: 'OPTIONS' }));
      expect(answer.status).toBe(204);
    }
    expect(touched).toEqual([]);
  });
});

describe('the order of the checks', () => {
  const asked = vi.fn(() => false);
  const { parts } = untouchable();
  const server = new AgentServer({ ...parts, authenticate: asked });
  const post = (headers: Record<string, string>, body: string): Promise<Response> =>
    server.fetch(new Request('http://server/start', { method: 'POST', headers, body }));

  it('refuses by length, size, type and origin before it asks', async () => {
    const json = { 'content-type': 'application/json' };
    const { status: tooLong } = await post({ ...json, 'content-length': '99999999' }, '{}');
    const { status: unnamed } = await post({ 'transfer-encoding': 'chunked', ...json }, '{}');
    const { status: form } = await post({ 'content-type': 'text/plain' }, '{}');
    const { status: elsewhere } = await post({ ...json, 'sec-fetch-site': 'cross-site' }, '{}');
    expect([tooLong, unnamed, form, elsewhere]).toEqual([413, 411, 415, 403]);
    expect(asked).not.toHaveBeenCalled();
  });

  it('asks before it says that a body is broken', async () => {
    const answer = await post({ 'content-type': 'application/json' }, '{"a":');
    expect(answer.status).toBe(401);
    expect(asked).toHaveBeenCalledWith(expect.objectContaining({ body: undefined }), 'start');
  });
});
