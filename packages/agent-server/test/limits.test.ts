// If this fails: what comes in is kept, shown or counted without a bound.
import { SESSION_LIMITS } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { createMemoryRateLimitStore } from '../src/index.ts';
import { agents } from './agents.ts';
import { createTestServer } from './fixtures.ts';

const painter = agents['painter']!;
const json = { 'content-type': 'application/json' };

function post(path: string, body: unknown, headers: Record<string, string> = {}): Request {
  const init = { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) };
  return new Request(`http://server${path}`, init);
}

function record(entries: number, value: unknown): object {
  return Object.fromEntries(Array.from({ length: entries }, (_, n) => [`k${n}`, value]));
}

describe('HTTP-12 what a session is made with', () => {
  const start = { agentType: 'painter', message: 'hello' };
  const message = (more: object): object => ({ role: 'user', content: 'x', ...more });
  const file = { data: 'https://x', mediaType: 'image/png' };
  const refused: [string, object, string][] = [
    ['much metadata', { metadata: { a: 'x'.repeat(SESSION_LIMITS.metadataBytes) } }, 'metadata'],
    ['many entries of metadata', { metadata: record(257, 'x') }, 'metadata'],
    ['many tags', { tags: Array.from({ length: 101 }, () => 'x') }, 'tags'],
    ['a large state', { state: { a: 'x'.repeat(SESSION_LIMITS.stateBytes) } }, 'state'],
    ['a state of many entries', { state: record(10_001, 1) }, 'state'],
    [
      'many files',
      { message: [message({ files: Array.from({ length: 101 }, () => file) })] },
      'message',
    ],
    ['many messages', { message: Array.from({ length: 101 }, () => message({})) }, 'message'],
    [
      'a message with much metadata',
      { message: [message({ metadata: { a: 'x'.repeat(20_000) } })] },
      'message.0.metadata',
    ],
  ];

  it.each(refused)('is refused with %s, by name', async (_, more, path) => {
    const { server } = createTestServer();
    const answer = await server.fetch(post('/start', { ...start, ...more }));
    const body = (await answer.json()) as { details: { path: string }[] };
    expect([answer.status, body.details.map((one) => one.path)]).toEqual([400, [path]]);
    expect((await server.listSessions()).items).toEqual([]);
  });

  it('is taken up to the limits', async () => {
    const { server } = createTestServer();
    const more = {
      metadata: { a: 'x'.repeat(SESSION_LIMITS.metadataBytes - 10) },
      tags: Array.from({ length: 100 }, (_, n) => `t${n}`),
      message: Array.from({ length: 100 }, () => message({ files: [file] })),
    };
    expect((await server.fetch(post('/start', { ...start, ...more }))).status).toBe(200);
  });

  it('is told with at most twenty issues, each of them short', async () => {
    const { server } = createTestServer({ verboseValidationErrors: true });
    const metadata = { ...record(200, 7), ['x'.repeat(100_000)]: 7 };
    const answer = await server.fetch(post('/start', { ...start, metadata }));
    const text = await answer.text();
    const body = JSON.parse(text) as { details: unknown[]; issues: unknown[] };
    expect([body.details.length, body.issues.length]).toEqual([20, 20]);
    expect(text.length).toBeLessThan(20_000);
  });
});

describe('HTTP-13 a page', () => {
  it('of sessions ends at a megabyte, goes on with its cursor, and has no outputs', async () => {
    const { server, stores } = createTestServer();
    const ids = Array.from({ length: 30 }, (_, n) => `s${n}`);
    for (const [n, id] of ids.entries()) {
      const metadata = { text: 'x'.repeat(n % 10 === 0 ? 700_000 : 60_000) };
      await stores.stateStore.createSession(id, { agentType: 'painter', metadata });
    }
    const seen: string[] = [];
    for (let cursor: string | undefined; ;) {
      const query = new URLSearchParams({ limit: '200', ...(cursor && { cursor }) });
      const answer = await server.fetch(new Request(`http://server/sessions?${query.toString()}`));
      const text = await answer.text();
      const page = JSON.parse(text) as { items: { sessionId: string }[]; cursor: string | null };
      expect(text.length).toBeLessThan(1_100_000);
      expect(page.items.length).toBeGreaterThan(0);
      for (const item of page.items) expect(item).not.toHaveProperty('output');
      seen.push(...page.items.map((item) => item.sessionId));
      if (page.cursor === null) break;
      ({ cursor } = page as { cursor: string });
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect((await server.listSessions({ limit: 7 })).items.length).toBeLessThanOrEqual(7);
  });

  it('with one item that is larger has that item', async () => {
    const { server, stores } = createTestServer();
    const metadata = { text: 'x'.repeat(2_000_000) };
    for (const id of ['a', 'b']) {
      await stores.stateStore.createSession(id, { agentType: 'painter', metadata });
    }
    const first = await server.listSessions();
    const second = await server.listSessions({ cursor: first.cursor! });
    expect([first.items.length, second.items.length, second.cursor]).toEqual([1, 1, null]);
  });

  it('of messages ends at a megabyte and says that there are more', async () => {
    const { server, executor } = createTestServer();
    const message = Array.from({ length: 40 }, (_, n) => ({
      role: 'user' as const,
      content: `${n} ${'x'.repeat(100_000)}`,
    }));
    await (await executor.execute(painter, { message }, { sessionId: 's' })).result();
    const seen: string[] = [];
    for (;;) {
      const { messages } = await server.getSession('s', {
        messagesOffset: seen.length,
        messagesLimit: 200,
      });
      expect(messages.total).toBe(41);
      expect(JSON.stringify(messages).length).toBeLessThan(1_100_000);
      seen.push(...messages.messages.map(({ content }) => String(content).split(' ')[0] ?? ''));
      if (!messages.hasMore) break;
    }
    expect(seen.slice(0, 40)).toEqual(message.map((_, n) => String(n)));
    expect(seen).toHaveLength(41);
  });
});

describe('HTTP-14 the rate limits', () => {
  it('keep a window that is open, whatever ids are made up', async () => {
    let now = 0;
    const store = createMemoryRateLimitStore(() => now);
    for (let n = 1; n <= 60; n += 1) await store.hit('flooded', 60_000);
    for (let n = 0; n < 15_000; n += 1) await store.hit(`made-up-${n}`, 60_000);
    expect((await store.hit('flooded', 60_000)).count).toBe(61);
    // Keys that find no room are counted together, never less than they are.
    for (let n = 1; n <= 60; n += 1) await store.hit('late', 60_000);
    expect((await store.hit('late', 60_000)).count).toBeGreaterThanOrEqual(61);
    now = 60_000;
    expect((await store.hit('flooded', 60_000)).count).toBe(1);
    expect((await store.hit('late', 60_000)).count).toBe(1);
  });

  it('count new sessions by who starts them, over both doors', async () => {
    const { server } = createTestServer({
      chatHandler: () => new Response('chat'),
      rateLimit: { startsPerMinute: 3 },
      now: () => 0,
      authenticate: ({ headers }) => ({ ok: true, principal: { id: headers['x-user'] ?? '' } }),
    });
    const start = async (user: string, path = '/start', more = {}): Promise<number> =>
      (
        await server.fetch(
          post(path, { agentType: 'painter', message: 'hi', ...more }, { 'x-user': user }),
        )
      ).status;
    expect([await start('ada'), await start('ada'), await start('ada', '/chat')]).toEqual([
      200, 200, 200,
    ]);
    expect(await start('ada')).toBe(429);
    expect(await start('ada', '/chat', { id: 'new' })).toBe(429);
    expect(await start('bob')).toBe(200);
  });

  it('count the chats that somebody with access to all sessions begins', async () => {
    const { server } = createTestServer({
      chatHandler: () => new Response('chat'),
      rateLimit: { startsPerMinute: 2 },
      now: () => 0,
      authenticate: () => ({ ok: true, principal: { id: 'operator', access: 'all' } }),
    });
    const chat = async (id: string): Promise<number> =>
      (await server.fetch(post('/chat', { id, messages: [] }))).status;
    const body = { agentType: 'painter', message: 'hi', sessionId: 'known' };
    expect((await server.fetch(post('/start', body))).status).toBe(200);
    expect([await chat('a'), await chat('b'), await chat('known')]).toEqual([200, 429, 200]);
  });
});

describe('HTTP-15 bodies before authentication', () => {
  it('are not read where the hook is asked before them', async () => {
    const shown: unknown[] = [];
    const { server } = createTestServer({
      authenticateBeforeBody: true,
      authenticate: ({ headers, body, sessionId }) => {
        shown.push([body, sessionId]);
        return headers['x-key'] === 'k' && { ok: true, principal: { sessionId: 'mine' } };
      },
    });
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      { pull: () => void (pulled += 1) },
      { highWaterMark: 0 },
    );
    const init = { method: 'POST', headers: json, body, duplex: 'half' } as RequestInit;
    expect((await server.fetch(new Request('http://server/start', init))).status).toBe(401);
    expect(pulled).toBe(0);
    // What a principal may touch is checked when the body is there.
    const key = { 'x-key': 'k' };
    const other = post('/resume', { sessionId: 'other' }, key);
    expect((await server.fetch(other)).status).toBe(403);
    expect((await server.fetch(post('/resume', { sessionId: 'mine' }, key))).status).toBe(404);
    expect(shown).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('take no more than is allowed together, until their senders were let in', async () => {
    const waiting: ((isLetIn: boolean) => void)[] = [];
    const { server } = createTestServer({
      maxBodyBytes: 1_000_000,
      maxBodyBytesInFlight: 9_000_000,
      authenticate: ({ headers }) =>
        headers['x-key'] === 'k' || new Promise<boolean>((resolve) => waiting.push(resolve)),
    });
    const body = { agentType: 'nobody', message: 'x'.repeat(900_000) };
    const held = Array.from({ length: 9 }, () => server.fetch(post('/start', body)));
    while (waiting.length < 9) await new Promise((resolve) => setImmediate(resolve));
    const late = await server.fetch(post('/start', body));
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
    for (const letIn of waiting) letIn(true);
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(held.map(() => 404));
    expect((await server.fetch(post('/start', body, { 'x-key': 'k' }))).status).toBe(404);
  });
});
