// If this fails: a page somebody visits can act with the cookies of its visitor.
import { describe, expect, it } from 'vitest';
import { createTestServer } from './fixtures.ts';

describe('HTTP-10 other sites', () => {
  const post = (headers: Record<string, string>, body?: string): Request =>
    new Request('http://server/interrupt', {
      method: 'POST',
      headers: { cookie: 'login=1', ...headers },
      ...(body !== undefined && { body }),
    });
  const json10 = { 'content-type': 'application/json' };
  const body = '{"sessionId":"s"}';

  it('are refused, whatever their page makes the browser send', async () => {
    const { server } = createTestServer();
    const status = async (headers: Record<string, string>, sent?: string): Promise<number> =>
      (await server.fetch(post(headers, sent))).status;
    expect(
      await status({ 'content-type': 'text/plain', origin: 'https://evil.example' }, body),
    ).toBe(415);
    expect(await status({ ...json10, 'sec-fetch-site': 'cross-site' }, body)).toBe(403);
    expect(
      await status({ ...json10, 'sec-fetch-site': 'same-site', origin: 'http://b.server' }, body),
    ).toBe(403);
    expect(await status({ ...json10, origin: 'https://evil.example' }, body)).toBe(403);
    expect(await status({ ...json10, origin: 'null' }, body)).toBe(403);
    // Those of the page itself, and of programs.
    expect(
      await status({ ...json10, 'sec-fetch-site': 'same-origin', origin: 'http://server' }, body),
    ).toBe(404);
    expect(await status({ ...json10, origin: 'http://server' }, body)).toBe(404);
    expect(await status(json10, body)).toBe(404);
  });

  it('may call when their origin is named, and are told so', async () => {
    const cors = { origins: ['https://app.example'], credentials: true, headers: ['x-own'] };
    const { server } = createTestServer({ cors });
    const origin = 'https://app.example';
    const asked = await server.fetch(
      new Request('http://server/start', { method: 'OPTIONS', headers: { origin } }),
    );
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    expect(asked.headers.get('access-control-allow-credentials')).toBe('true');
    expect(asked.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS');
    for (const name of ['last-event-id', 'authorization', 'x-own']) {
      expect(asked.headers.get('access-control-allow-headers')).toContain(name);
    }
    const answer = await server.fetch(
      post({ ...json10, origin, 'sec-fetch-site': 'cross-site' }, body),
    );
    expect(answer.status).toBe(404);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-session-id');
    const other = await server.fetch(post({ ...json10, origin: 'https://evil.example' }, body));
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    expect(other.headers.get('vary')).toBe('origin');
  });

  it('are refused where the function that decides throws, and everything else is answered', async () => {
    const logged: unknown[] = [];
    const logger = { info() {}, warn() {}, error: (event: string) => void logged.push(event) };
    const origins = (): boolean => {
      throw new Error('no such table');
    };
    const { server } = createTestServer({ cors: { origins }, logger });
    const origin = 'https://app.example';
    const asked = await server.fetch(
      new Request('http://server/start', { method: 'OPTIONS', headers: { origin } }),
    );
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, null]);
    expect((await server.fetch(post({ ...json10, origin }, body))).status).toBe(403);
    const read = new Request('http://server/health', { headers: { origin } });
    expect((await server.fetch(read)).status).toBe(200);
    expect(new Set(logged)).toEqual(new Set(['server.cors_failed']));
  });

  it('cannot all send cookies', () => {
    expect(() => createTestServer({ cors: { origins: '*', credentials: true } })).toThrow(
      /origins/,
    );
  });
});
