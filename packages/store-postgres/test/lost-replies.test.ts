// A connection that breaks after the server has done what it was asked. If one of these fails, a step is committed
// twice, or an update is lost.
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { defineAgent, type LLMAdapter } from '@helix-agents/core';
import { callKey } from '@helix-agents/core/store';
import { describeServer, startReplyProxy, type ReplyProxy } from '@helix-agents/test-servers';
import {
  callRow,
  messageRow,
  planFor,
  seed,
  sessionRow,
  T0,
  textChunk,
} from '@helix-agents/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgres, type Postgres } from '../src/index.ts';
import { testPostgres } from './database.ts';
import { newPool } from './new-pool.ts';

const row = sessionRow();
const model: LLMAdapter = {
  generateStep: async () => ({ type: 'text', content: 'all is well', shouldStop: true }),
};

describeServer('postgres', () => {
  const postgres = testPostgres();

  const openLossy = async (): Promise<{ lossy: Postgres; direct: Postgres; proxy: ReplyProxy }> => {
    await postgres.clear();
    const url = new URL(postgres.url);
    const proxy = await startReplyProxy({ port: Number(url.port) });
    url.port = `${proxy.port}`;
    const pool = newPool(url.href, 4);
    onTestFinished(async () => {
      await pool.end();
      await proxy.close();
    });
    return { lossy: openPostgres(pool), direct: openPostgres(postgres.pool), proxy };
  };

  it('ATOM-02 a commit whose reply was lost rejects, and was applied once', async () => {
    const { lossy, direct, proxy } = await openLossy();
    const { sessions } = direct.stateStore;
    await seed(sessions, { sessions: [row] });
    const lost = proxy.loseReplyTo('not heard');
    const message = { role: 'user', content: 'not heard' } as const;
    const plan = planFor(row, { insert: { messages: [messageRow(1, { message })] } });
    await expect(lossy.stateStore.sessions.commit(plan)).rejects.toMatchObject({
      code: 'store_unavailable',
      retryable: true,
    });
    await lost;
    expect((await sessions.readSession(row))?.version).toBe(2);
    expect(await lossy.stateStore.sessions.commit(plan), 'sent again it misses').toBe(false);
    expect(await sessions.readMessages(row)).toHaveLength(1);
  });

  it('SUB-08 an answer whose reply was lost is found by the next try', async () => {
    const { lossy, direct, proxy } = await openLossy();
    const call = callRow('a');
    await seed(direct.stateStore.sessions, { sessions: [row], calls: [call] });
    const lost = proxy.loseReplyTo('my own answer');
    const answer = { kind: 'result', value: 'my own answer' } as const;
    const input = { key: callKey(call), outcome: 'answered', answer, answeredBy: null } as const;
    const submit = () => lossy.stateStore.sessions.answerCall({ ...input, now: T0 });
    await expect(submit()).rejects.toMatchObject({ code: 'store_unavailable' });
    await lost;
    expect(await submit()).toMatchObject({ found: true, taken: false, row: { answer } });
  });

  it('a chunk with a dedupe key is appended once, however often it was sent', async () => {
    const { lossy, direct, proxy } = await openLossy();
    const lost = proxy.loseReplyTo('said once');
    const entries = [{ chunk: textChunk('said once'), dedupeKey: 'k' }];
    await expect(lossy.streamManager.append('s', entries)).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    await lost;
    expect(await lossy.streamManager.append('s', entries)).toBe(1);
    expect(await direct.streamManager.readChunks('s')).toHaveLength(1);
  });

  it('LOCK-04 no update is lost or reported wrongly while connections break all the time', async () => {
    const { lossy, direct, proxy } = await openLossy();
    await seed(direct.stateStore.sessions, { sessions: [row] });
    const { sessions } = lossy.stateStore;
    proxy.loseEvery(9);
    const wins: number[] = [];
    let unknown = 0;
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let tries = 0; tries < 50; tries += 1) {
          const session = await sessions.readSession(row).catch(() => null);
          if (session === null) continue;
          const { version } = session;
          const plan = planFor(session, { insert: { messages: [messageRow(version)] } });
          await sessions.commit(plan).then(
            (won) => void (won && wins.push(version)),
            () => (unknown += 1),
          );
        }
      }),
    );
    proxy.loseEvery(0);
    expect(proxy.lost).toBeGreaterThan(3);
    expect(unknown).toBeGreaterThan(0);
    const version = (await direct.stateStore.sessions.readSession(row))!.version;
    expect(new Set(wins).size, 'each version is won once').toBe(wins.length);
    expect(version - 1).toBeGreaterThanOrEqual(wins.length);
    expect(version - 1).toBeLessThanOrEqual(wins.length + unknown);
    expect(await direct.stateStore.sessions.readMessages(row)).toHaveLength(version - 1);
  });

  it('a run survives lost replies, and its transcript is the same as without them', async () => {
    const { lossy, direct, proxy } = await openLossy();
    const agent = defineAgent({
      name: 'steady',
      systemPrompt: 'steady',
      llmConfig: { model: 'scripted', maxRetries: 0 },
    });
    await lossy.stateStore.sessions.readSession(row);
    const executor = new JSAgentExecutor({
      stateStore: lossy.stateStore,
      streamManager: lossy.streamManager,
      llmAdapter: model,
    });
    const lost = proxy.loseReplyTo('all is well');
    const handle = await executor.execute(agent, 'how are you', { sessionId: 's1' });
    const result = await handle.result();
    await lost;
    expect(result.status).toBe('completed');
    const messages = await direct.stateStore.sessions.readMessages(row);
    expect(messages.map(({ message }) => message.content)).toEqual(['how are you', 'all is well']);
  });
});
