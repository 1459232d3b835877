// If this fails: a request of Node becomes another one than it was, or is handed on with a length that is not its body's.
import { describe, expect, it } from 'vitest';
import { toWebRequest } from '../src/node/node-request.ts';
import type { NodeRequest } from '../src/index.ts';

const none = new AbortController().signal;

function request(given: Partial<NodeRequest>): NodeRequest {
  const listen = (): void => undefined;
  const headers = { host: 'server:3000' };
  return { method: 'GET', url: '/', headers, on: listen, pause: listen, resume: listen, ...given };
}

describe('a request of Node', () => {
  it.each(['/', '/chat/a%2Fb/stream?x=../y', '//x', '/a;b', '/.well-known', '/a..b/...'])(
    'keeps its address: %s',
    (url) => {
      expect(toWebRequest(request({ url }), none)?.url).toBe(`http://server:3000${url}`);
    },
  );

  it.each(['/a/../b', '/..', '/%2e%2E/b', '/a/./b', '/a#b', '/a\\b', '/a b', 'b', '*', ''])(
    'is none of the web’s where the web would read another path: %j',
    (url) => {
      expect(toWebRequest(request({ url }), none)).toBeNull();
    },
  );

  it.each(['a/b', 'a?', 'a#', 'u@a', 'a b', '', 'a:b', '[::1', 'a,b'])(
    'is none of the web’s with the host %j',
    (host) => {
      expect(toWebRequest(request({ headers: { host } }), none)).toBeNull();
    },
  );

  it.each(['a.b-c_d', 'localhost:80', '127.0.0.1', '[::1]:3000'])('takes the host %s', (host) => {
    expect(toWebRequest(request({ headers: { host } }), none)).not.toBeNull();
  });

  it('came over TLS where its connection did, or Express says so', () => {
    const protocol = (given: Partial<NodeRequest>, more = {}): string | undefined =>
      toWebRequest(request(given), none, more)?.url.split(':')[0];
    expect(protocol({})).toBe('http');
    expect(protocol({ socket: { encrypted: true } })).toBe('https');
    expect(protocol({}, { protocol: 'https' })).toBe('https');
  });

  it.each([
    ['JSON with spaces', { a: 'é' }, '20', '{"a":"é"}'],
    ['a text', '{ }', '3', '{ }'],
    ['bytes', new TextEncoder().encode('[1]'), '3', '[1]'],
  ])(
    'whose body was parsed has the length of what is handed on: %s',
    async (_, body, length, text) => {
      const headers = {
        host: 'x',
        'content-type': 'application/json',
        'content-length': length,
        'content-encoding': 'gzip',
      };
      const made = toWebRequest(request({ method: 'POST', headers, body }), none);
      expect(made?.headers.get('content-length')).toBe(String(new Blob([text]).size));
      expect(made?.headers.has('content-encoding')).toBe(false);
      expect(await made?.text()).toBe(text);
    },
  );

  it('over HTTP/2 keeps a body that a parser read, though nothing announced it', async () => {
    const given = { method: 'POST', httpVersionMajor: 2, headers: { host: 'x' }, body: { a: 1 } };
    expect(await toWebRequest(request(given), none)?.text()).toBe('{"a":1}');
  });

  it('without a body has none, although a parser made an object of it', () => {
    for (const length of [{}, { 'content-length': '0' }]) {
      const headers = { host: 'x', ...length };
      expect(toWebRequest(request({ method: 'POST', headers, body: {} }), none)?.body).toBeNull();
    }
  });
});
