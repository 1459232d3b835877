// If this fails: a client is told what the database's driver said, such as where the database is.
import { createServer } from 'node:http';
import { handleChatSnapshot, handleChatStream, type ChatDependencies } from '@helix-agents/ai-sdk';
import type { Logger, StoredChunk, StreamManager } from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { openPostgres } from '@helix-agents/store-postgres';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AgentServer, createNodeListener } from '../src/index.ts';
import { agents, scripted } from './agents.ts';
import { everyRoute, toRequest } from './every-route.ts';
import { createTestServer, listen } from './fixtures.ts';
import { connectRaw } from './raw-http.ts';

/** The address, which the driver repeats in its errors, and what else is in the URL. */
const CANARY = /127\.77\.66\.55|canary/;

/** Nobody listens there. */
const UNREACHABLE = 'postgres://canary-user:canary-password@127.77.66.55:1/canary-database';
/** A certificate that cannot be read: a failure that the store does not know. */
const UNKNOWN =
  'postgres://canary-user:canary-password@127.0.0.1:1/canary-database?sslmode=verify-full&sslrootcert=/nonexistent/canary';
/** No such socket. */
const NO_SOCKET =
  'postgres://canary-user:canary-password@/canary-database?host=/nonexistent/canary';

interface Down {
  readonly server: AgentServer;
  readonly chat: ChatDependencies;
  /** All that was logged, as one text. */
  readonly logged: () => string;
}

function serverWithout(url: string): Down {
  const lines: unknown[] = [];
  const write = (...line: unknown[]): void => void lines.push(line);
  const logger: Logger = { info: write, warn: write, error: write };
  const pool = new Pool({ connectionString: url });
  const { stateStore, streamManager, close } = openPostgres(pool);
  const parts = { stateStore, streamManager, logger };
  const executor = new JSAgentExecutor({ ...parts, llmAdapter: scripted, agentRegistry: agents });
  const chat = { ...parts, executor, agent: agents['painter']! };
  const server = new AgentServer({
    ...parts,
    executor,
    agents,
    authenticate: () => ({ ok: true, principal: { id: 'ada' } }),
    chatHandler: (params) => handleChatStream(chat, params),
    chatSnapshot: (params) => handleChatSnapshot(chat, params),
  });
  onTestFinished(async () => {
    await server.close({ graceMs: 100 });
    await executor.shutdown({ graceMs: 0 });
    close();
    await pool.end();
  });
  return { server, chat, logged: () => JSON.stringify(lines) };
}

async function whole(response: Response): Promise<string> {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  return `${response.status}\n${headers.join('\n')}\n\n${await response.text()}`;
}

const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] };
const post = (body: object): Request =>
  new Request('http://x/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe.each([
  ['a database that cannot be reached', UNREACHABLE, 503, 'store_unavailable'],
  ['a database whose socket is missing', NO_SOCKET, 503, 'store_unavailable'],
  ['a database that fails in an unknown way', UNKNOWN, 500, 'INTERNAL_ERROR'],
] as const)('with %s', (_name, url, status, code) => {
  it('no route of the server says anything of it', async () => {
    const { server, logged } = serverWithout(url);
    for (const call of everyRoute('s')) {
      const isChat = call.path === '/chat';
      const given = isChat ? { ...call, body: { id: 's', messages: [message] } } : call;
      const response = await server.fetch(toRequest(given));
      const text = await whole(response);
      expect(text).not.toMatch(CANARY);
      if (call.operation === 'openapi') continue;
      expect([call.path, response.status, text]).toEqual([
        call.path,
        status,
        expect.stringContaining(code),
      ]);
      expect(response.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
    }
    expect(logged()).toMatch(CANARY);
  });

  it('the chat handler by itself says nothing of it', async () => {
    const { chat, logged } = serverWithout(url);
    const answer = { id: 'm2', role: 'assistant', parts: [] };
    const responses = [
      await handleChatStream(chat, { request: post({ id: 's', messages: [message] }) }),
      await handleChatStream(chat, { request: post({ id: 's', messages: [answer] }) }),
      await handleChatStream(chat, { sessionId: 's', request: new Request('http://x/stream') }),
      await handleChatSnapshot(chat, { sessionId: 's' }),
    ];
    for (const response of responses) {
      const text = await whole(response);
      expect([response.status, text]).toEqual([status, expect.stringContaining(code)]);
      expect(text).not.toMatch(CANARY);
    }
    expect(logged()).toMatch(CANARY);
  });
});

/** The same streams; those that are followed live break after a few chunks. */
function breaking(streams: StreamManager): StreamManager {
  const broken: StreamManager['createResumableReader'] = async (streamId, options) => {
    const reader = await streams.createResumableReader!(streamId, options);
    async function* chunks(): AsyncGenerator<StoredChunk> {
      for await (const stored of reader ?? []) {
        if (stored.sequence > 2) throw new Error('connection to canary-database lost');
        yield stored;
      }
    }
    return reader && { close: () => reader.close(), [Symbol.asyncIterator]: chunks };
  };
  return new Proxy(streams, {
    get: (target, name) => {
      const found: unknown = name === 'createResumableReader' ? broken : Reflect.get(target, name);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}

it.each(['/sse?sessionId=s', '/chat/s/stream'])(
  'a stream of %s that breaks ends without a word about the database',
  async (path) => {
    const { stores, executor } = createTestServer();
    const streamManager = breaking(stores.streamManager);
    const chat = { ...stores, streamManager, executor, agent: agents['painter']! };
    const { server } = createTestServer({
      executor,
      stateStore: stores.stateStore,
      streamManager,
      chatHandler: (params) => handleChatStream(chat, params),
    });
    const handle = await executor.execute(agents['painter']!, 'slow', { sessionId: 's' });
    const url = await listen(createServer(createNodeListener(server)));
    const raw = connectRaw(url);
    raw.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const got = await raw.received();
    expect(got).toContain('data: ');
    expect(got).not.toMatch(CANARY);
    await handle.abort();
  },
);
