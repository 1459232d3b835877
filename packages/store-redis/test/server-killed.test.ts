// SIGKILL of the server under load. If this fails, what a client was told is stored is gone after a restart.
import { describeServer, startRedis } from '@helix-agents/test-servers';
import {
  callRow,
  keyOf,
  messageRow,
  planFor,
  seed,
  sessionRow,
  T0,
  textChunk,
} from '@helix-agents/testing';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { overClient } from './over-client.ts';

const WRITERS = 8;

describeServer('redis', () => {
  it('loses nothing it acknowledged, with appendfsync always', { timeout: 60_000 }, async () => {
    const server = await startRedis({ appendfsync: 'always' });
    onTestFinished(() => server.stop());
    const connect = (): Redis => {
      const client = new Redis(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
      client.on('error', () => {});
      return client;
    };
    const opened = Array.from({ length: WRITERS }, () => overClient(connect(), 'agent'));
    onTestFinished(() => opened.forEach((connection) => connection.close()));
    let stop = false;
    const acknowledged = opened.map(() => ({ version: 1, answers: 0, head: 0 }));

    const work = opened.map(async ({ store, streamManager }, index) => {
      const session = sessionRow({ sessionId: `s${index}` });
      const told = acknowledged[index]!;
      await seed(store, { sessions: [session] });
      while (!stop) {
        const { version } = told;
        const call = callRow(`call-${version}`, { rootId: session.sessionId });
        const insert = {
          messages: [messageRow(version, { sessionId: session.sessionId })],
          calls: [call],
        };
        const applied = await store.commit(planFor({ ...session, version }, { insert }));
        expect(applied, 'nobody else writes here').toBe(true);
        told.version += 1;
        const answer = { kind: 'result', value: version } as const;
        const input = { outcome: 'answered', answer, answeredBy: null, now: T0 } as const;
        const result = await store.answerCall({ key: keyOf(call), ...input });
        expect(result).toMatchObject({ taken: true });
        told.answers += 1;
        told.head = await streamManager.append(session.sessionId, [
          { chunk: textChunk(`${version}`) },
        ]);
      }
    });
    for (let kill = 0; kill < 3; kill += 1) {
      const before = Math.min(...acknowledged.map(({ version }) => version));
      while (Math.min(...acknowledged.map(({ version }) => version)) < before + 5) await wait(5);
      await server.kill();
      await server.restart();
    }
    stop = true;
    await Promise.all(work);

    const { store, streamManager } = opened[0]!;
    for (const [index, told] of acknowledged.entries()) {
      const sessionId = `s${index}`;
      const ref = { rootId: sessionId, sessionId };
      expect((await store.readSession(ref))?.version).toBe(told.version);
      expect(await store.readMessages(ref)).toHaveLength(told.version - 1);
      const calls = await store.readCalls(sessionId);
      expect(calls.filter((call) => call.state === 'answered')).toHaveLength(told.answers);
      expect(await streamManager.getStreamInfo(sessionId)).toMatchObject({ head: told.head });
      expect(await streamManager.readChunks(sessionId)).toHaveLength(told.head);
    }
  });
});
