import { readFileSync, globSync } from 'node:fs';
import { createServer } from 'node:http';
import express from 'express';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { AgentClient } from '../src/client.ts';
import { createExpressAdapter, createHttpAdapter, createNodeListener } from '../src/index.ts';
import { createTestServer, listen, settled } from './fixtures.ts';

const chatHandler = async ({
  sessionId,
  messages,
  request,
}: {
  sessionId: string;
  messages: readonly unknown[];
  request: Request;
}): Promise<Response> => {
  const body = request.method === 'POST' ? await request.json() : null;
  return Response.json({ sessionId, messages, method: request.method, body });
};

/** What a client does, from start to end, wherever the server is mounted. */
async function talk(baseUrl: string): Promise<void> {
  const client = new AgentClient({ baseUrl });
  const { sessionId } = await client.start({ agentType: 'painter', message: 'color' });
  expect(await settled(client, sessionId)).toBe('suspended_client_tool');
  const answer = { sessionId, toolCallId: 'color', result: { color: 'red' } };
  expect(await client.submit({ kind: 'client-tool-result', ...answer })).toEqual({
    status: 'accepted',
  });
  await client.resume({ sessionId });
  const events = [];
  for await (const event of client.stream(sessionId)) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'end', data: { status: 'completed' } });
  await expect(client.status('nobody')).rejects.toMatchObject({ statusCode: 404 });
}

describe('a server under a prefix', () => {
  it('in Node', async () => {
    const { server } = createTestServer();
    const adapter = createHttpAdapter(server, { basePath: '/deep/api/' });
    const url = await listen(createServer(createNodeListener(adapter)));
    await talk(`${url}/deep/api`);
    for (const path of ['/health', '/deep/apihealth', '/deep/api', '/deep/api//health']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
  });

  it('in Express, before and after a body parser', async () => {
    const { server } = createTestServer();
    const app = express();
    app.use('/raw', createExpressAdapter(createHttpAdapter(server)));
    app.use(express.json());
    app.use('/parsed', server.toExpressMiddleware());
    app.use((_request, response) => void response.status(418).send('the application'));
    const url = await listen(createServer(app));
    await talk(`${url}/raw`);
    await talk(`${url}/parsed`);
    for (const path of ['/elsewhere', '/raw/elsewhere', '/parsed']) {
      expect((await fetch(url + path)).status).toBe(418);
    }
  });

  it('in Express, after a body parser, takes JSON however it is written', async () => {
    const { server } = createTestServer();
    const app = express();
    app.use(express.json(), server.toExpressMiddleware());
    const url = await listen(createServer(app));
    const post = (path: string, body?: string): Promise<Response> =>
      fetch(url + path, {
        method: 'POST',
        ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body }),
      });
    const written = '{ "agentType" :  "painter",\n\t"message": "h\\u00e9llo" }';
    expect((await post('/start', written)).status).toBe(200);
    expect((await post('/chat/nobody/interrupt')).status).toBe(404);
    expect((await post('/start', ' { } ')).status).toBe(400);
  });

  it('in Express, the chat routes alone, as the guide mounts them', async () => {
    const { server } = createTestServer({
      chatHandler,
      resumeCookie: (sessionId, { resumeFromSequence }) => `at-${sessionId}=${resumeFromSequence}`,
    });
    const app = express();
    app.use('/api', server.toExpressMiddleware('/chat'));
    const url = await listen(createServer(app));
    const post = (path: string, body: object): Promise<Response> =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const messages = [{ id: 'm', role: 'user', parts: [] }];
    const sent = { id: 'c1', messages, trigger: 'submit-message' };
    const answer = await post('/api/chat', sent);
    expect(answer.headers.get('x-session-id')).toBe('c1');
    expect(await answer.json()).toEqual({ sessionId: 'c1', messages, method: 'POST', body: sent });
    const stream = await fetch(`${url}/api/chat/c1/stream`);
    expect(await stream.json()).toMatchObject({ sessionId: 'c1', messages: [], method: 'GET' });
    const { sessionId } = await server.startAgent({ agentType: 'painter', message: 'color' });
    await (await server.streamAgent({ sessionId }))[Symbol.asyncIterator]().next();
    expect(await (await post(`/api/chat/${sessionId}/interrupt`, {})).json()).toMatchObject({
      status: expect.stringMatching(/requested|interrupted/),
    });
    expect((await post('/api/start', { agentType: 'painter', message: 'x' })).status).toBe(404);
  });

  it('tells the chat where the browser was when it answers over the chat route', async () => {
    const { server, executor } = createTestServer({
      chatHandler,
      resumeCookie: (sessionId, { resumeFromSequence }) => `at-${sessionId}=${resumeFromSequence}`,
    });
    const { painter } = (await import('./agents.ts')).agents;
    await (await executor.execute(painter!, 'color', { sessionId: 's' })).result();
    const { streamSequence } = await server.getStatus('s');
    const answer = await server.fetch(
      new Request('http://x/chat/s/submit-tool-result', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ toolCallId: 'color', result: { color: 'red' } }),
      }),
    );
    expect(await answer.json()).toEqual({ status: 'accepted' });
    expect(answer.headers.getSetCookie()).toEqual([`at-s=${streamSequence}`]);
  });

  it('tells the chat’s cookie whether the browser came over TLS', async () => {
    const asked = async (
      address: string,
      headers: Record<string, string>,
      trustProxy: boolean,
    ): Promise<string[]> => {
      const { server, executor } = createTestServer({
        chatHandler,
        trustProxy,
        resumeCookie: (sessionId, _at, { secure }) => `at-${sessionId}=${secure}`,
      });
      const { painter } = (await import('./agents.ts')).agents;
      await (await executor.execute(painter!, 'color', { sessionId: 's' })).result();
      const answer = await server.fetch(
        new Request(`${address}/chat/s/submit-tool-result`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ toolCallId: 'color', result: { color: 'red' } }),
        }),
      );
      return answer.headers.getSetCookie();
    };
    const forwarded = { 'x-forwarded-proto': 'http, https' };
    expect(await asked('https://x', {}, false)).toEqual(['at-s=true']);
    expect(await asked('http://x', {}, true)).toEqual(['at-s=false']);
    expect(await asked('http://x', forwarded, false)).toEqual(['at-s=false']);
    expect(await asked('http://x', forwarded, true)).toEqual(['at-s=true']);
  });

  it('in Hono', async () => {
    const { server } = createTestServer();
    const app = new Hono().mount('/api', server.fetch);
    const client = new AgentClient({
      baseUrl: 'http://app/api',
      fetch: async (input, init) => app.fetch(new Request(input, init)),
    });
    const { sessionId } = await client.start({ agentType: 'painter', message: 'hello' });
    expect(await settled(client, sessionId)).toBe('completed');
  });

  it('in Next, where a route file hands over whole addresses', async () => {
    const { server } = createTestServer();
    const { fetch: handle } = createHttpAdapter(server, { basePath: '/api/agents' });
    const client = new AgentClient({
      baseUrl: 'http://app/api/agents',
      fetch: (input, init) => handle(new Request(input, init)),
    });
    expect(await client.health()).toEqual({ status: 'ok' });
  });
});

it('imports nothing of Node: it runs in Workers too', () => {
  const src = new URL('../src/', import.meta.url);
  const files = globSync('**/*.ts', { cwd: src });
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const imports = [...readFileSync(new URL(file, src), 'utf8').matchAll(/from '([^.'][^']*)'/g)];
    for (const [, name] of imports)
      expect(name).toMatch(
        /^(@helix-agents\/(core(\/(host|state-store|store))?|http(\/events)?)|zod)$/,
      );
  }
});

it('refuses what Node lets through and the web does not know', async () => {
  const { sendRaw } = await import('./raw-http.ts');
  const { server } = createTestServer();
  const url = await listen(createServer(createNodeListener(server)));
  expect((await sendRaw(url, ['OPTIONS * HTTP/1.1'])).status).toBe(400);
  expect((await sendRaw(url, ['GET http://evil/health HTTP/1.1'])).status).toBe(400);
  expect((await sendRaw(url, ['TRACE /health HTTP/1.1'])).status).toBe(405);
});

describe('HTTP-16 the path of a request', () => {
  const paths: [string, string][] = [
    ['dot segments', '/chat/../health'],
    ['one dot', '/./health'],
    ['encoded dots', '/chat/%2e%2E/health'],
    ['a fragment', '/health#/x'],
    ['a backslash', '/chat\\..\\health'],
  ];

  it.each(paths)('is not another one than the application saw: %s', async (_, path) => {
    const { sendRaw } = await import('./raw-http.ts');
    const { server } = createTestServer();
    const seen: string[] = [];
    const app = express();
    app.use((request, _response, next) => {
      seen.push(request.path);
      next();
    });
    app.use('/', createExpressAdapter(server));
    const [plain, behind] = [
      await listen(createServer(createNodeListener(server))),
      await listen(createServer(app)),
    ];
    expect((await sendRaw(plain, [`GET ${path} HTTP/1.1`])).status).toBe(400);
    expect([400, 404]).toContain((await sendRaw(behind, [`GET ${path} HTTP/1.1`])).status);
    expect(seen).toHaveLength(1);
  });

  it.each(['evil/health?', 'evil/x#', 'user@evil', 'a b', 'evil\\x', ''])(
    'does not come out of the Host header %j',
    async (host) => {
      const { connectRaw } = await import('./raw-http.ts');
      const { server } = createTestServer();
      const url = await listen(createServer(createNodeListener(server)));
      const connection = connectRaw(url);
      connection.send(`GET /nowhere HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect(await connection.received()).toContain('HTTP/1.1 400');
    },
  );

  it('holds no dot segment, whoever hands it over', async () => {
    const { server } = createTestServer();
    const request = new Request('http://server/chat/x/abort', { method: 'POST' });
    for (const path of ['/chat/../abort', '/chat/%2E%2e/abort', '/sessions/.']) {
      expect((await server.handle(request, path)).status).toBe(404);
      expect(server.handles(path)).toBe(false);
    }
  });
});
