// If this fails: a person is told that an answer is stored and it is not, or it cannot be sent again.
import { HelixError } from '@helix-agents/core';
import type { SessionStore } from '@helix-agents/core/store';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { SqliteStateStore, SqliteStreamManager } from '@helix-agents/store-sqlite';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { agents, scripted } from './agents.ts';
import { createTestServer } from './fixtures.ts';

type Fault = 'refused' | 'reply lost';

/** A store that fails at the next answer: before it is written, or after. */
function failingOnce(sessions: SessionStore, fault: Fault): SessionStore {
  let isDue = true;
  const answerCall: SessionStore['answerCall'] = async (input) => {
    const isNow = isDue;
    isDue = false;
    const down = new HelixError({ code: 'store_unavailable', message: 'host db-7 is gone' });
    if (isNow && fault === 'refused') throw down;
    const written = await sessions.answerCall(input);
    if (isNow) throw down;
    return written;
  };
  return new Proxy(sessions, {
    get: (target, name) => {
      const found: unknown = name === 'answerCall' ? answerCall : Reflect.get(target, name);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}

it.each([
  ['refused', 'accepted'],
  ['reply lost', 'already_completed'],
] as const)(
  'SUB-08 an answer that is %s is a 503, and is %s when it is sent again',
  async (fault, outcome) => {
    const { stores, executor } = createTestServer();
    await (await executor.execute(agents['painter']!, 'color', { sessionId: 's' })).result();
    const { sessions, index } = stores.stateStore;
    const logged: unknown[] = [];
    const logger = { info() {}, warn() {}, error: (...line: unknown[]) => void logged.push(line) };
    const stateStore = { sessions: failingOnce(sessions, fault), index };
    const failing = new JSAgentExecutor({
      ...stores,
      stateStore,
      llmAdapter: scripted,
      agentRegistry: agents,
      logger,
    });
    const { server } = createTestServer({ executor: failing, ...stores, logger });
    const submit = (): Promise<Response> =>
      server.fetch(
        new Request('http://x/submit-tool-result', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ sessionId: 's', toolCallId: 'color', result: { color: 'red' } }),
        }),
      );
    const down = await submit();
    const text = await down.text();
    expect([down.status, down.headers.get('retry-after')]).toEqual([503, '1']);
    expect(JSON.parse(text)).toMatchObject({ code: 'store_unavailable' });
    expect(text).not.toContain('db-7');
    expect(JSON.stringify(logged)).toContain('client_tool.submit_failed');
    const again = await submit();
    expect([again.status, await again.json()]).toEqual([200, { status: outcome }]);
    await (await executor.resume('s')).result();
    const { messages } = await server.getSession('s').then((session) => session.messages);
    expect(messages.filter((message) => message.role === 'tool')).toHaveLength(1);
  },
);

it('a full disk is a 503, and the request works once there is room', async () => {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  const stateStore = new SqliteStateStore(database);
  const streamManager = new SqliteStreamManager(database);
  const executor = new JSAgentExecutor({
    stateStore,
    streamManager,
    llmAdapter: scripted,
    agentRegistry: agents,
  });
  const { server } = createTestServer({ executor, stateStore, streamManager });
  await server.startAgent({ agentType: 'painter', message: 'color', sessionId: 'before' });
  await (await executor.getHandle(agents['painter']!, 'before'))?.result();
  const start = (): Promise<Response> =>
    server.fetch(
      new Request('http://x/start', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ agentType: 'painter', message: 'color'.repeat(20_000) }),
      }),
    );
  const pages = Number(database.prepare('pragma page_count').get()?.['page_count']);
  database.exec(`pragma max_page_count = ${pages}`);
  const full = await start();
  expect([full.status, full.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await full.json()).toMatchObject({ code: 'store_unavailable' });
  database.exec('pragma max_page_count = 1000000');
  expect((await start()).status).toBe(200);
  await executor.shutdown({ graceMs: 0 });
});
