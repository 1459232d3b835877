// If this fails: a reader misses a chunk, sees one twice, waits for ever, or holds up the others.
import type { StreamChunk, StreamManager } from '@helix-agents/core';
import { describe, expect, it, vi } from 'vitest';
import type { AgentClient, FeedEvent } from '../src/client.ts';
import { parseEvents } from '@helix-agents/http/events';
import { agents } from './agents.ts';
import { createTestServer, serve, settled } from './fixtures.ts';
import { connectRaw } from './raw-http.ts';

async function readAll(client: AgentClient, sessionId: string, after = 0): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for await (const event of client.stream(sessionId, { after, reconnects: 0 })) events.push(event);
  return events;
}

const text = (index: number, size = 10): StreamChunk => ({
  type: 'text_delta',
  delta: `${index} `.padEnd(size, '.'),
  agentId: 's',
  agentType: 'painter',
  step: 1,
  timestamp: index,
});

describe('STRM-01 reading on after a number', () => {
  it('gives exactly the rest, at every number of a stream with text, tools, children and steps', async () => {
    const { client, url } = await serve();
    const { sessionId } = await client.start({ agentType: 'painter', message: 'child' });
    await settled(client, sessionId);
    const [call] = (await client.status(sessionId)).openCalls;
    const answer = { sessionId, toolCallId: call!.toolCallId, result: { color: 'red' } };
    await client.submit({ kind: 'client-tool-result', ...answer });
    await client.resume({ sessionId });
    await settled(client, sessionId);
    await client.resume({ sessionId, message: 'fail' });
    await settled(client, sessionId);
    const all = await readAll(client, sessionId);
    const chunks = all.slice(0, -1);
    expect(chunks.length).toBeGreaterThan(15);
    expect(all.at(-1)).toMatchObject({
      type: 'end',
      data: { status: 'failed', sequence: chunks.length },
    });
    for (let after = 0; after <= chunks.length; after += 1) {
      expect(await readAll(client, sessionId, after)).toEqual(all.slice(after));
      const response = await fetch(`${url}/sse?sessionId=${sessionId}&after=${after}`);
      expect((await response.text()).match(/^id: /gm)?.length ?? 0).toBe(chunks.length - after);
    }
  });

  it.each(['-1', 'abc', '1e20', '99999', '1.5', '0x1', ' ', '99999999999999999999'])(
    'refuses the number %j at once',
    async (after) => {
      const { client, url } = await serve();
      const { sessionId } = await client.start({ agentType: 'painter', message: 'hello' });
      await settled(client, sessionId);
      const byQuery = await fetch(
        `${url}/sse?sessionId=${sessionId}&after=${encodeURIComponent(after)}`,
      );
      const headers = { 'last-event-id': after };
      const byHeader = await fetch(`${url}/sse?sessionId=${sessionId}`, { headers });
      const { status } = byHeader;
      await byHeader.body?.cancel();
      // Blanks around a header are not part of it, and an empty one is none.
      expect([byQuery.status, status]).toEqual([400, after === ' ' ? 200 : 400]);
      expect(await byQuery.json()).toMatchObject({ code: 'INVALID_REQUEST' });
    },
  );

  it('goes on live from one run to the next, each chunk with its number', async () => {
    const { client } = await serve();
    const { sessionId } = await client.start({ agentType: 'painter', message: 'words 10' });
    const seen: FeedEvent[] = [];
    for await (const event of client.stream(sessionId)) seen.push(event);
    const numbers = seen.flatMap((event) => (event.type === 'chunk' ? [event.sequence] : []));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    const words = seen.flatMap((event) =>
      event.type === 'chunk' && event.chunk.type === 'text_delta' ? [event.chunk.delta] : [],
    );
    expect(words.join('')).toBe(Array.from({ length: 10 }, (_, n) => `word${n + 1} `).join(''));
  });

  it('says what is missing when the log no longer reaches back', async () => {
    const { stores, executor } = createTestServer();
    await (await executor.execute(agents['painter']!, 'hello', { sessionId: 's' })).result();
    const whole = stores.streamManager;
    /** A log that keeps the newest chunks only, as one with a limit does. */
    const short: StreamManager = {
      createWriter: (...args) => whole.createWriter(...args),
      createReader: (...args) => whole.createReader(...args),
      endStream: (...args) => whole.endStream(...args),
      failStream: (...args) => whole.failStream(...args),
      getStreamInfo: (...args) => whole.getStreamInfo(...args),
      createResumableReader: (id, { afterSequence = 0 } = {}) =>
        whole.createResumableReader(id, { afterSequence: Math.max(2, afterSequence) }),
    };
    const { server } = createTestServer({
      executor,
      stateStore: stores.stateStore,
      streamManager: short,
    });
    const read = async (after: number): Promise<string[]> => {
      const response = await server.fetch(new Request(`http://x/sse?sessionId=s&after=${after}`));
      const events = [];
      for await (const { event, data } of parseEvents(response.body!))
        events.push(event === 'message' ? event : `${event} ${data}`);
      return events;
    };
    expect((await read(0))[0]).toBe('truncated {"after":0,"firstAvailable":3}');
    expect((await read(1))[0]).toBe('truncated {"after":1,"firstAvailable":3}');
    expect((await read(2))[0]).toBe('message');
  });

  it('reads from a manager of the four methods too', async () => {
    const { stores, executor } = createTestServer();
    await (await executor.execute(agents['painter']!, 'hello', { sessionId: 's' })).result();
    const whole = stores.streamManager;
    const plain: StreamManager = {
      createWriter: (...args) => whole.createWriter(...args),
      createReader: (...args) => whole.createReader(...args),
      endStream: (...args) => whole.endStream(...args),
      failStream: (...args) => whole.failStream(...args),
    };
    const { server } = createTestServer({
      executor,
      stateStore: stores.stateStore,
      streamManager: plain,
    });
    const read = async (after: number): Promise<string> =>
      (await server.fetch(new Request(`http://x/sse?sessionId=s&after=${after}`))).text();
    const all = await read(0);
    expect(await read(2)).toBe(all.replace(/id: [12]\n.*\n\n/g, ''));
    expect(all).toContain('event: end');
  });
});

describe('STRM-05 readers that do not read', () => {
  it('are dropped, others get everything, and the dropped one goes on where it was', async () => {
    const warn = vi.fn();
    const logger = { info: vi.fn(), warn, error: vi.fn() };
    const { client, url, server, stores } = await serve({
      sse: { stallMs: 300, bufferBytes: 10_000 },
      logger,
    });
    const { sessionId } = await client.start({ agentType: 'painter', message: 'slow' });
    const raw = connectRaw(url);
    raw.send(`GET /sse?sessionId=${sessionId} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await raw.received('id: 1\n');
    raw.socket.pause();
    const live: number[] = [];
    // In process: however slow the machine is, nobody but the other one can be dropped.
    const feed = await server.streamAgent({ sessionId });
    const reading = (async () => {
      for await (const event of feed) if (event.type === 'chunk') live.push(event.sequence);
    })();
    // Far more than the system's own buffers hold.
    for (let index = 0; index < 400; index += 1) {
      await stores.streamManager.append(sessionId, [{ chunk: text(index, 64_000) }]);
    }
    const head = (await stores.streamManager.getStreamInfo(sessionId))!.head;
    await vi.waitFor(() => expect(live.length).toBeGreaterThanOrEqual(head), { timeout: 300_000 });
    await vi.waitFor(
      () => expect(warn).toHaveBeenCalledWith('server.reader_dropped', { sessionId }),
      { timeout: 300_000 },
    );
    expect(live).toEqual(live.map((_, index) => index + 1));
    raw.socket.resume();
    const got = await raw.received();
    const last = Number([...got.matchAll(/^id: (\d+)\n/gm)].at(-1)?.[1]);
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThan(head);
    const rest = client.stream(sessionId, { after: last });
    expect((await rest.next()).value).toMatchObject({ type: 'chunk', sequence: last + 1 });
    await rest.return(undefined);
    feed.close();
    await reading;
  }, 180_000);

  it('that leave free what they held', async () => {
    const { server, stores } = await serve({ sse: { bufferBytes: 1_000 } });
    const write = async (): Promise<void> => {
      for (let index = 0; index < 10; index += 1)
        await stores.streamManager.append('quiet', [{ chunk: text(index, 500) }]);
    };
    await stores.stateStore.createSession('quiet', { agentType: 'painter' });
    await write();
    const before = timers();
    const response = await server.fetch(new Request('http://x/sse?sessionId=quiet'));
    expect(timers()).toBeGreaterThan(before);
    await response.body!.cancel();
    await write();
    await vi.waitFor(() => expect(timers()).toBeLessThanOrEqual(before), { timeout: 300_000 });
  });

  const timers = (): number =>
    process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

  it('hear a heartbeat while nothing happens', async () => {
    const { url, stores } = await serve({ sse: { heartbeatMs: 20 } });
    await stores.stateStore.createSession('quiet', { agentType: 'painter' });
    await stores.streamManager.append('quiet', [{ chunk: text(1) }]);
    const raw = connectRaw(url);
    raw.send('GET /sse?sessionId=quiet HTTP/1.1\r\nHost: x\r\n\r\n');
    await raw.received('id: 1\n');
    const got = await raw.received(': heartbeat\n\n');
    expect(got).toContain('content-type: text/event-stream');
    expect(got).toContain('retry: 2000');
  });
});

describe('STRM-09 the end', () => {
  it.each([
    ['hello', { status: 'completed', runStatus: 'completed', output: 'hello done' }],
    ['fail', { status: 'failed', error: { code: expect.any(String) } }],
    ['color', { status: 'active', runStatus: 'suspended_client_tool', toolCallIds: ['color'] }],
  ])('of %j is told to who reads along, and to who comes later', async (message, data) => {
    const { client } = await serve();
    const { sessionId } = await client.start({ agentType: 'painter', message });
    const along = await readAll(client, sessionId);
    const later = await readAll(client, sessionId);
    for (const events of [along, later]) {
      expect(events.at(-1)).toMatchObject({ type: 'end', data: { sessionId, ...data } });
    }
    expect(later).toEqual(along);
    const head = along.length - 1;
    expect(await readAll(client, sessionId, head)).toEqual([along.at(-1)]);
  });

  it('is told for a session whose stream is gone, and a session that is not there is 404', async () => {
    const { client, url, stores } = await serve();
    await stores.stateStore.createSession('s', { agentType: 'painter' });
    await stores.stateStore.updateStatus('s', 'completed');
    expect(await readAll(client, 's')).toMatchObject([
      { type: 'end', data: { status: 'completed', sequence: 0 } },
    ]);
    const missing = await fetch(`${url}/sse?sessionId=nobody`);
    expect([missing.status, missing.headers.get('content-type')]).toEqual([
      404,
      'application/json; charset=utf-8',
    ]);
  });

  it('is not a cancel: who leaves stops nothing', async () => {
    const { client } = await serve();
    const { sessionId } = await client.start({ agentType: 'painter', message: 'words 20' });
    for await (const event of client.stream(sessionId)) {
      if (event.type === 'chunk' && event.chunk.type === 'text_delta') break;
    }
    expect(await settled(client, sessionId)).toBe('completed');
  });

  it('comes when a session is deleted under a reader', async () => {
    const { client, stores } = await serve({ sse: { heartbeatMs: 30 } });
    const { sessionId } = await client.start({ agentType: 'painter', message: 'slow' });
    const reading = client.stream(sessionId, { reconnects: 0 });
    await reading.next();
    await stores.stateStore.deleteSession(sessionId);
    const rest: FeedEvent[] = [];
    for await (const event of reading) rest.push(event);
    expect(rest.at(-1)).toMatchObject({ type: 'end', data: { status: 'deleted' } });
  });

  it('is found in the store when the process that should have told it died', async () => {
    const { client, stores } = await serve({ sse: { heartbeatMs: 30 } });
    const { sessionId } = await client.start({ agentType: 'painter', message: 'color' });
    await settled(client, sessionId);
    // As after a crash between the commit and its announcement: the session waits, its stream is open.
    await stores.streamManager.reactivateStream(sessionId);
    const events = await readAll(client, sessionId);
    expect(events.at(-1)).toMatchObject({
      type: 'end',
      data: { runStatus: 'suspended_client_tool' },
    });
  });
});

describe('closing a server', () => {
  it('ends its streams so that readers go on elsewhere, refuses the rest, and finishes what is under way', async () => {
    const first = await serve();
    const second = await serve({
      executor: first.executor,
      stateStore: first.stores.stateStore,
      streamManager: first.stores.streamManager,
    });
    const { sessionId } = await first.client.start({ agentType: 'painter', message: 'words 30' });
    const seen: number[] = [];
    let url = first.url;
    // As a load balancer does: whoever is cut off is sent to another one.
    const { AgentClient } = await import('../src/client.ts');
    const client = new AgentClient({
      baseUrl: 'http://balancer',
      fetch: (input, init) =>
        fetch(new URL(input as string).href.replace('http://balancer', url), init),
    });
    for await (const event of client.stream(sessionId)) {
      if (event.type !== 'chunk') continue;
      seen.push(event.sequence);
      if (event.sequence === 5) {
        url = second.url;
        await first.server.close();
      }
    }
    const { head } = (await first.stores.streamManager.getStreamInfo(sessionId))!;
    expect(seen).toEqual(Array.from({ length: head }, (_, index) => index + 1));
    const health = await fetch(`${first.url}/health`);
    expect([health.status, await health.json()]).toEqual([503, { status: 'draining' }]);
    const refused = await fetch(`${first.url}/status?sessionId=${sessionId}`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  });
});
