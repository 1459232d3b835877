// If this fails: a request that is too long, too slow, broken or from another site gets further than its headers.
import { createSubmitToolResultSchema, noopLogger, type Logger } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { agents } from './agents.ts';
import { everyRoute } from './every-route.ts';
import { createTestServer, serve } from './fixtures.ts';
import { connectRaw, sendRaw } from './raw-http.ts';

const small = { submitToolResultSchema: createSubmitToolResultSchema({ maxResultBytes: 250 }) };
const json = 'Content-Type: application/json';
const submission = (bytes: number): string => {
  const text = JSON.stringify({ sessionId: 's', toolCallId: 'c', result: '' });
  return text.padEnd(bytes, ' ');
};

describe('HTTP-04 length and size', () => {
  const post = (headers: readonly string[]) => [
    'POST /submit-tool-result HTTP/1.1',
    json,
    ...headers,
  ];

  it('wants the length of what is sent in pieces', async () => {
    const { url } = await serve(small);
    const answer = await sendRaw(url, post(['Transfer-Encoding: chunked']), '2\r\n{}\r\n0\r\n\r\n');
    expect([answer.status, answer.body]).toEqual([
      411,
      expect.stringContaining('{"error":"length_required","code":"LENGTH_REQUIRED"}'),
    ]);
  });

  it('takes four times the largest result, and not a byte more, without reading it', async () => {
    const warned: unknown[] = [];
    const logger: Logger = { ...noopLogger, warn: (...line) => void warned.push(line) };
    const { url } = await serve({ ...small, logger });
    expect((await sendRaw(url, post(['Content-Length: 1000']), submission(1000))).status).toBe(404);
    warned.length = 0;
    // Nothing of the body is sent: the answer cannot wait for it.
    for (const length of ['1001', '4000000', '999999999999999']) {
      const answer = await sendRaw(url, post([`Content-Length: ${length}`]));
      expect(answer.status).toBe(413);
      expect(answer.body).toContain('{"error":"payload_too_large","code":"PAYLOAD_TOO_LARGE"}');
      expect(answer.head).toMatch(/^x-max-body-bytes: 1000$/im);
    }
    const line = ['submit_tool_result.body_too_large', { maxBytes: 1000 }];
    expect(warned).toEqual([line, line, line]);
  });

  it.each(['abc', '-1', '1e3', '0x10', '1,2', '', '9999999999999999999999'])(
    'refuses the length %j',
    async (length) => {
      const { url } = await serve(small);
      const answer = await sendRaw(url, post([`Content-Length: ${length}`]), submission(100));
      expect([400, 413]).toContain(answer.status);
    },
  );

  it('stops a chat by a request without a body', async () => {
    const { url, server } = await serve();
    await server.startAgent({ sessionId: 'c1', agentType: 'painter', message: 'color' });
    const answer = await sendRaw(url, ['POST /chat/c1/interrupt HTTP/1.1']);
    expect(answer.status).toBe(200);
  });

  it('refuses two lengths', async () => {
    const { url } = await serve(small);
    const head = post(['Content-Length: 100', 'Content-Length: 50']);
    expect((await sendRaw(url, head, submission(100))).status).toBe(400);
  });

  it.each([
    ['abc', 400],
    ['-1', 400],
    ['5, 5', 400],
    ['1.5', 400],
    ['1001', 413],
    ['50', 400],
    ['2000', 413],
  ])('counts where the platform lets the length %s through', async (length, status) => {
    const { server } = createTestServer(small);
    const body = submission(100);
    const headers = { 'content-type': 'application/json', 'content-length': length };
    const request = new Request('http://server/submit-tool-result', {
      method: 'POST',
      headers,
      body,
    });
    expect((await server.fetch(request)).status).toBe(status);
  });

  it('counts bytes that nobody declared', async () => {
    const { server } = createTestServer(small);
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new Uint8Array(300).fill(32));
        },
      },
      { highWaterMark: 0 },
    );
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: endless,
      duplex: 'half',
    };
    const answer = await server.fetch(
      new Request('http://server/submit-tool-result', init as RequestInit),
    );
    expect(answer.status).toBe(413);
    expect(pulled).toBeLessThan(6);
  });

  it('refuses a result beyond its own limit by name', async () => {
    const { server } = createTestServer(small);
    const body = JSON.stringify({ sessionId: 's', toolCallId: 'c', result: 'x'.repeat(300) });
    const headers = { 'content-type': 'application/json' };
    const answer = await server.fetch(
      new Request('http://server/submit-tool-result', { method: 'POST', headers, body }),
    );
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: 'result', message: expect.stringContaining('250 bytes') }],
    });
  });

  it('has a limit of its own for other bodies', async () => {
    const { server } = createTestServer({ ...small, maxBodyBytes: 5_000 });
    const status = async (path: string, bytes: number): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      const body = '{}'.padEnd(bytes, ' ');
      return (
        await server.fetch(new Request(`http://server${path}`, { method: 'POST', headers, body }))
      ).status;
    };
    expect(await status('/start', 5_000)).toBe(400);
    expect(await status('/start', 5_001)).toBe(413);
    expect(await status('/submit-tool-result', 1_001)).toBe(413);
  });
});

describe('HTTP-05 bodies', () => {
  const deep = (open: string, close: string): string => open.repeat(10_000) + close.repeat(10_000);
  const bodies: [string, string | Uint8Array<ArrayBuffer>][] = [
    ['nothing', ''],
    ['half an object', '{"sessionId":'],
    ['a word', 'hello'],
    ['two values', '{} {}'],
    ['null', 'null'],
    ['a number', '7'],
    ['a list', '[]'],
    ['only a byte order mark', '\uFEFF'],
    ['10,000 lists', deep('[', ']')],
    ['10,000 objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['10,000 lists in a field', `{"sessionId":"s","toolCallId":"c","result":${deep('[', ']')}}`],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x00])],
    ['UTF-16', new Uint8Array([0x7b, 0x00, 0x7d, 0x00])],
    ['a field of another type', '{"sessionId":7,"agentType":{},"message":[1],"toolCallId":[]}'],
    ['a session that is no text', '{"sessionId":{},"id":{},"agentType":"painter","message":"x"}'],
  ];
  const posts = everyRoute('s').filter(({ method }) => method === 'POST');

  it.each(bodies)('refuses %s on every route that needs more', async (_, body) => {
    const { server } = createTestServer({ chatHandler: () => new Response(null, { status: 400 }) });
    for (const { path } of posts) {
      const headers = { 'content-type': 'application/json' };
      const answer = await server.fetch(
        new Request(`http://server${path}`, { method: 'POST', headers, body }),
      );
      const text = await answer.text();
      // Where nothing is required nothing is missing: the session is looked for.
      const expected = path.includes('/chat/s/') ? [400, 404] : [400];
      expect(expected, `${path} ${text}`).toContain(answer.status);
      expect(text).not.toMatch(/node_modules|\.ts:|\bat \S+ \(/);
    }
  });

  it('says what to correct, and the validator’s own words only when told to', async () => {
    const ask = async (verboseValidationErrors: boolean): Promise<unknown> => {
      const { server } = createTestServer({ verboseValidationErrors });
      const headers = { 'content-type': 'application/json' };
      const body = '{"agentType":"painter"}';
      const answer = await server.fetch(
        new Request('http://server/start', { method: 'POST', headers, body }),
      );
      expect(answer.status).toBe(400);
      return answer.json();
    };
    const details = [{ path: 'message', message: expect.any(String) }];
    const plain = { error: expect.any(String), code: 'INVALID_REQUEST', details };
    expect(await ask(false)).toEqual(plain);
    expect(await ask(true)).toEqual({
      ...plain,
      issues: [expect.objectContaining({ code: expect.any(String) })],
    });
  });

  it('takes a body with a byte order mark', async () => {
    const { server } = createTestServer();
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const body = '\uFEFF{"agentType":"painter","message":"hi"}';
    const answer = await server.fetch(
      new Request('http://server/start', { method: 'POST', headers, body }),
    );
    expect(answer.status).toBe(200);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'json',
    'text/html; application/json',
  ])('refuses the content type %s', async (type) => {
    const { server } = createTestServer();
    for (const { path } of posts) {
      const answer = await server.fetch(
        new Request(`http://server${path}`, {
          method: 'POST',
          headers: { 'content-type': type },
          body: '{}',
        }),
      );
      expect(answer.status).toBe(415);
    }
  });

  it('tells nothing of what went wrong inside', async () => {
    const { stores } = createTestServer();
    const logged: unknown[] = [];
    const logger: Logger = { info() {}, warn() {}, error: (...line) => void logged.push(line) };
    const broken = new Proxy(stores.stateStore.sessions, {
      get: () => () => Promise.reject(new Error('password hunter2 at store.ts:17')),
    });
    const { server } = createTestServer({
      logger,
      stateStore: { sessions: broken, index: stores.stateStore.index },
    });
    const answer = await server.fetch(new Request('http://server/status?sessionId=s'));
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toEqual([
      500,
      { error: expect.any(String), code: 'INTERNAL_ERROR' },
    ]);
    expect(text).not.toContain('hunter2');
    expect(JSON.stringify(logged)).toContain('hunter2');
  });
});

describe('HTTP-07 ids', () => {
  const odd = ['a'.repeat(10_240), 'a\0b', 'a\r\nSet-Cookie: x=1', '\u0085', 'a\ud800', ''];

  it.each(odd)('refuses an id that no store could keep apart (case %#)', async (id) => {
    const { server } = createTestServer();
    for (const call of everyRoute(id === 'a\ud800' ? 'a' : id)) {
      if (['list-sessions', 'openapi', 'chat'].includes(call.operation)) continue;
      // An address cannot hold half a surrogate pair.
      if (id === 'a\ud800' && !call.body) continue;
      const body = call.body && JSON.stringify(call.body).replaceAll('"a"', JSON.stringify(id));
      const answer = await server.fetch(
        new Request(`http://server${call.path}`, {
          method: call.method,
          headers: { 'content-type': 'application/json' },
          ...(body !== undefined && { body }),
        }),
      );
      expect([400, 404], `${call.path.slice(0, 80)}`).toContain(answer.status);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  it.each([
    'a:b',
    'a*',
    '../a',
    'a/b',
    'ａ',
    'а',
    '%',
    'a b',
    "a'--",
    '\u{1f600}',
    '__proto__',
    'constructor',
  ])('keeps %j apart from every other', async (id) => {
    const { server, executor } = createTestServer();
    await (await executor.execute(agents['painter']!, 'secret of a', { sessionId: 'a' })).result();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ sessionId: id, agentType: 'painter', message: 'mine' });
    const started = await server.fetch(
      new Request('http://server/start', { method: 'POST', headers, body }),
    );
    expect(started.status).toBe(200);
    expect(decodeURIComponent(started.headers.get('x-session-id') ?? '')).toBe(id);
    const detail = await server.fetch(
      new Request(`http://server/sessions/${encodeURIComponent(id)}`),
    );
    const text = await detail.text();
    expect(JSON.parse(text)).toMatchObject({ sessionId: id });
    expect(text).not.toContain('secret of a');
  });
});

describe('HTTP-09 slow and many', () => {
  it('gives a body up that does not arrive, and serves others meanwhile', async () => {
    const { url, client } = await serve({ bodyTimeoutMs: 200 });
    const slow = connectRaw(url);
    slow.send(`POST /start HTTP/1.1\r\nHost: x\r\n${json}\r\nContent-Length: 100\r\n\r\n{"a`);
    expect(await client.health()).toEqual({ status: 'ok' });
    const text = await slow.received();
    expect(text).toContain('HTTP/1.1 408');
    expect(text).toContain('REQUEST_TIMEOUT');
  });

  it('takes 60 answers a minute for a session, says when to come back, and spares the others', async () => {
    let now = 0;
    const { server } = createTestServer({ now: () => now });
    const submit = async (sessionId: string): Promise<Response> =>
      server.fetch(
        new Request('http://server/submit-tool-result', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ sessionId, toolCallId: 'c', result: 1 }),
        }),
      );
    const many = await Promise.all(Array.from({ length: 1_000 }, () => submit('flooded')));
    const statuses = many.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(940);
    const [refused] = many.filter((answer) => answer.status === 429);
    expect(refused?.headers.get('retry-after')).toBe('60');
    expect(await refused?.json()).toMatchObject({ code: 'RATE_LIMITED' });
    expect((await submit('other')).status).toBe(404);
    now = 60_000;
    expect((await submit('flooded')).status).toBe(404);
  });

  it('refuses rather than lets through when the limit cannot be checked', async () => {
    const store = { hit: () => Promise.reject(new Error('redis is down')) };
    const { server } = createTestServer({ rateLimit: { store } });
    const body = JSON.stringify({ sessionId: 's', toolCallId: 'c', result: 1 });
    const headers = { 'content-type': 'application/json' };
    const answer = await server.fetch(
      new Request('http://server/submit-tool-result', { method: 'POST', headers, body }),
    );
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  });
});
