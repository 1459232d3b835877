// If this fails: another server can make this one wait for ever, fill its memory, get hold of its token, or answer for a session
// that is not its own.
import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  DefinitionError,
  HttpRemoteAgentTransport,
  InvalidRequestError,
  type HttpRemoteAgentTransportOptions,
  type RemoteEvent,
} from '../src/index.ts';

const SPEAKS = { 'x-helix-protocol': '1', 'content-type': 'application/json' };
const STATUS = {
  sessionId: 's',
  runId: 'run',
  runStatus: 'running',
  output: null,
  error: null,
  openCalls: [],
  streamSequence: 0,
};
const CALL = {
  toolCallId: 'c',
  kind: 'client',
  toolName: 'pick',
  input: {},
  approvalId: null,
  agentType: 'painter',
  openedAt: 1,
  deadlineAt: null,
};

type Options = Partial<HttpRemoteAgentTransportOptions>;

/** A remote whose replies are these, one after the other; the last one again and again. */
function answering(
  replies: readonly (() => Response)[],
  options: Options = {},
): { readonly transport: HttpRemoteAgentTransport; readonly asked: Request[] } {
  const asked: Request[] = [];
  const transport = new HttpRemoteAgentTransport({
    url: 'https://remote.example/api/',
    fetch: async (target, init) => {
      asked.push(new Request(target as string, init));
      const reply = replies[Math.min(asked.length, replies.length) - 1];
      return reply?.() ?? new Response(null, { status: 500 });
    },
    ...options,
  });
  return { transport, asked };
}

const reply =
  (body: unknown, status = 200, headers: object = SPEAKS) =>
  (): Response =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), {
      status,
      headers: headers as HeadersInit,
    });

async function serve(listener: RequestListener): Promise<string> {
  const http = createServer(listener);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  const address = http.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

async function read(events: AsyncIterable<RemoteEvent>): Promise<RemoteEvent[]> {
  const all: RemoteEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('HttpRemoteAgentTransport', () => {
  it('takes url or baseUrl, and refuses addresses and options that it does not know', () => {
    new HttpRemoteAgentTransport({ baseUrl: 'http://127.0.0.1:3000' });
    const wrong: readonly object[] = [
      {},
      { url: 'remote.example' },
      { url: 'file:///etc/passwd' },
      { url: 'https://user:secret@remote.example' },
      { url: 'https://remote.example/?token=secret' },
      { url: 'https://a.example', baseUrl: 'https://b.example' },
      { url: 'https://a.example', apiKey: 'secret' },
      { url: 'https://a.example', limits: { replySeconds: 1 } },
    ];
    for (const options of wrong)
      expect(() => new HttpRemoteAgentTransport(options)).toThrow(DefinitionError);
  });

  it('asks for its token before each request and sends its version', async () => {
    let tokens = 0;
    const { transport, asked } = answering([reply(STATUS)], {
      token: async () => `t${(tokens += 1)}`,
    });
    await transport.status('s');
    await transport.status('s');
    expect(asked.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer t1',
      'Bearer t2',
    ]);
    expect(asked[0]?.headers.get('x-helix-protocol')).toBe('1');
    expect(asked[0]?.url).toBe('https://remote.example/api/status?sessionId=s');
  });

  it('tells a server that is down from one that refuses, and from one that speaks no protocol', async () => {
    const codeOf = async (one: () => Response): Promise<unknown> => {
      const { transport } = answering([one]);
      return transport.abort({ sessionId: 's' }).catch((error: unknown) => error);
    };
    const down = await codeOf(reply({}, 503, { 'retry-after': '7' }));
    expect(down).toMatchObject({
      code: 'remote_unreachable',
      retryable: true,
      retryAfterMs: 7_000,
    });
    expect(await codeOf(reply('<html>', 502, {}))).toMatchObject({ code: 'remote_unreachable' });
    expect(await codeOf(reply({}, 429))).toMatchObject({ code: 'remote_unreachable' });
    expect(await codeOf(reply({ error: 'no', code: 'FORBIDDEN' }, 403))).toMatchObject({
      code: 'remote_refused',
      remoteCode: 'FORBIDDEN',
      status: 403,
      retryable: false,
    });
    expect(await codeOf(reply({ error: 'x', code: 'NOT_CONFIGURED' }, 501))).toMatchObject({
      code: 'remote_refused',
    });
    const old = await codeOf(reply({ status: 'aborted' }, 200, {}));
    expect(old).toMatchObject({
      name: 'RemoteSubAgentClientToolUnsupportedError',
      code: 'remote_client_tool_unsupported',
      failureReason: 'client-tool-unsupported',
    });
    expect(
      await codeOf(reply({ status: 'aborted' }, 200, { 'x-helix-protocol': '2' })),
    ).toMatchObject({
      code: 'remote_client_tool_unsupported',
    });
  });

  it('says that nobody answers where nobody does', async () => {
    const url = await serve((request) => request.socket.destroy());
    const transport = new HttpRemoteAgentTransport({ url });
    await expect(transport.status('s')).rejects.toMatchObject({ code: 'remote_unreachable' });
  });

  it('stops when its caller does', async () => {
    const url = await serve(() => undefined);
    const stop = new AbortController();
    const transport = new HttpRemoteAgentTransport({ url });
    const asked = transport.status('s', { signal: stop.signal });
    const streamed = read(transport.stream('s', { signal: stop.signal }));
    stop.abort();
    await expect(asked).rejects.toMatchObject({ code: 'remote_unreachable' });
    await expect(streamed).rejects.toMatchObject({ code: 'remote_unreachable' });
  });
});

describe('a reply that cannot be trusted', () => {
  const invalid = { code: 'remote_reply_invalid' };

  it('is refused when it is about another session, has another shape, or is no JSON', async () => {
    const bad: readonly (() => Response)[] = [
      reply({ ...STATUS, sessionId: 'another' }),
      reply({ ...STATUS, runStatus: 'dancing' }),
      reply({ ...STATUS, openCalls: [{ ...CALL, toolCallId: '' }] }),
      reply({ ...STATUS, openCalls: Array.from({ length: 101 }, () => CALL) }),
      reply(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
      reply('<html>'),
    ];
    for (const one of bad)
      await expect(answering([one]).transport.status('s')).rejects.toMatchObject(invalid);
    const other = answering([reply(STATUS), reply({ sessionId: 'another', runId: 'r' })]);
    const start = { sessionId: 's', agentType: 'a', message: 'm' };
    await expect(other.transport.start(start)).rejects.toMatchObject(invalid);
  });

  it('is not read beyond its limit, whether it says its length or not', async () => {
    let sent = 0;
    const url = await serve((request, response) => {
      response.writeHead(200, SPEAKS);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536;
      };
      response.on('drain', more);
      request.on('error', () => undefined);
      more();
    });
    const transport = new HttpRemoteAgentTransport({ url, limits: { replyBytes: 100_000 } });
    await expect(transport.status('s')).rejects.toMatchObject(invalid);
    expect(sent).toBeLessThan(50_000_000);
    const declared = reply('{}', 200, { ...SPEAKS, 'content-length': '5000000' });
    await expect(answering([declared]).transport.status('s')).rejects.toMatchObject(invalid);
  });

  it('is not waited for beyond its time, however slowly it comes', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, SPEAKS);
      const drip = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(drip));
    });
    const transport = new HttpRemoteAgentTransport({ url, limits: { replyMs: 200 } });
    await expect(transport.status('s')).rejects.toMatchObject({ code: 'remote_unreachable' });
  });

  it('HTTP-10 is not looked for at another origin: the token stays here', async () => {
    const heard: (string | undefined)[] = [];
    const thief = await serve((request, response) => {
      heard.push(request.headers.authorization);
      response.writeHead(200, SPEAKS).end(JSON.stringify(STATUS));
    });
    for (const status of [301, 302, 303, 307, 308]) {
      const url = await serve((_request, response) => {
        response.writeHead(status, { ...SPEAKS, location: `${thief}/status?sessionId=s` }).end();
      });
      const transport = new HttpRemoteAgentTransport({ url, token: 'secret' });
      await expect(transport.status('s')).rejects.toMatchObject(invalid);
      await expect(transport.abort({ sessionId: 's' })).rejects.toMatchObject(invalid);
      await expect(read(transport.stream('s'))).rejects.toMatchObject(invalid);
    }
    expect(heard).toEqual([]);
  });

  it('is found where a redirect stays within its origin, and not in a circle', async () => {
    const url = await serve((request, response) => {
      if (request.url?.startsWith('/v2')) {
        response.writeHead(200, SPEAKS).end(JSON.stringify(STATUS));
        return;
      }
      const to = request.url?.startsWith('/circle') ? '/circle' : `/v2${request.url}`;
      response.writeHead(307, { location: to }).end();
    });
    expect(await new HttpRemoteAgentTransport({ url }).status('s')).toMatchObject(STATUS);
    const circle = new HttpRemoteAgentTransport({ url: `${url}/circle` });
    await expect(circle.status('s')).rejects.toMatchObject(invalid);
  });

  it('is not provoked: a request beyond its limit is not sent', async () => {
    const { transport, asked } = answering([reply(STATUS)]);
    const message = 'x'.repeat(1_100_000);
    const start = transport.start({ sessionId: 's', agentType: 'a', message });
    await expect(start).rejects.toThrow(InvalidRequestError);
    expect(asked.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('the stream of a remote', () => {
  const chunk = (delta: string): string =>
    JSON.stringify({
      type: 'text_delta',
      delta,
      agentId: 'a',
      agentType: 'b',
      timestamp: 1,
      step: 1,
    });
  const frame = (id: number, data: string): string => `id: ${id}\ndata: ${data}\n\n`;
  const end = (sessionId: string): string => `event: end\ndata: {"sessionId":"${sessionId}"}\n\n`;
  const stream = (...frames: string[]): (() => Response) => reply(frames.join(''));

  it('comes once and in order: what was had, comments and unknown events are left out', async () => {
    const { transport, asked } = answering([
      stream(
        'retry: 2000\n\n',
        frame(3, chunk('old')),
        frame(4, chunk('four')),
        ': heartbeat\n\n',
        frame(4, chunk('again')),
        'event: surprise\ndata: {}\n\n',
        frame(5, '{"type":"of_a_newer_release"}'),
        frame(6, chunk('x'.repeat(300_000))),
        frame(7, chunk('seven')),
        end('s'),
        frame(8, chunk('after the end')),
      ),
    ]);
    const events = await read(transport.stream('s', { after: 3 }));
    expect(
      events.map((event) => (event.type === 'end' ? 'end' : [event.type, event.sequence])),
    ).toEqual([['chunk', 4], ['omitted', 5], ['omitted', 6], ['chunk', 7], 'end']);
    expect(new URL(asked[0]?.url ?? '').searchParams.get('after')).toBe('3');
  });

  it('that ends early, is silent, or is of another session is an error', async () => {
    const broken = answering([stream(frame(1, chunk('one')))]).transport.stream('s');
    await expect(read(broken)).rejects.toMatchObject({ code: 'remote_unreachable' });
    const other = answering([stream(end('another'))]).transport.stream('s');
    await expect(read(other)).rejects.toMatchObject({ code: 'remote_reply_invalid' });
    const numberless = answering([stream(`data: ${chunk('x')}\n\n`)]).transport.stream('s');
    await expect(read(numberless)).rejects.toMatchObject({ code: 'remote_reply_invalid' });
    const endless = answering([stream('data: ', 'x'.repeat(2_000))], {
      limits: { replyBytes: 1_000 },
    }).transport.stream('s');
    await expect(read(endless)).rejects.toMatchObject({ code: 'remote_reply_invalid' });
    const url = await serve((_request, response) => {
      response.writeHead(200, SPEAKS).write(frame(1, chunk('one')));
    });
    const silent = new HttpRemoteAgentTransport({ url, limits: { silentMs: 50 } });
    await expect(read(silent.stream('s'))).rejects.toMatchObject({ code: 'remote_unreachable' });
    const mute = await serve(() => undefined);
    const never = new HttpRemoteAgentTransport({ url: mute, limits: { replyMs: 50 } });
    await expect(read(never.stream('s'))).rejects.toMatchObject({ code: 'remote_unreachable' });
  });

  it('is let go of when its reader leaves', async () => {
    let closed: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (closed = resolve));
    const url = await serve((_request, response) => {
      response.on('close', () => closed());
      response.writeHead(200, SPEAKS).write(frame(1, chunk('one')));
    });
    for await (const event of new HttpRemoteAgentTransport({ url }).stream('s')) {
      expect(event.type).toBe('chunk');
      break;
    }
    await left;
  });
});
