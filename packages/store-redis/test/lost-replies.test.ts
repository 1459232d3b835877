// A connection that breaks after the server has done what it was asked. If one of these fails, a step is committed
// twice, a person's answer counts as somebody else's, or a text is shown twice.
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
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisLockManager } from '../src/index.ts';
import { deleteSessionScript } from '../src/lua/session-writes.ts';
import type { Script } from '../src/script.ts';
import { openSpace } from './connections.ts';
import { overClient, type Connection } from './over-client.ts';

const row = sessionRow();

interface Lossy {
  readonly behindProxy: Connection;
  readonly direct: Connection;
  readonly client: Redis;
  readonly prefix: string;
  readonly proxy: ReplyProxy;
}

async function openLossy(options: { readonly maxRetriesPerRequest?: number } = {}): Promise<Lossy> {
  const space = await openSpace();
  const proxy = await startReplyProxy({ port: Number(new URL(space.url).port) });
  const client = new Redis({
    port: proxy.port,
    host: '127.0.0.1',
    retryStrategy: () => 5,
    ...options,
  });
  // It reports every lost connection; the tests look at what commands say.
  client.on('error', () => {});
  const behindProxy = overClient(client, space.prefix);
  onTestFinished(async () => {
    behindProxy.close();
    await proxy.close();
    await space.close();
  });
  return { behindProxy, direct: space.open(), client, prefix: space.prefix, proxy };
}

/** A tree with a stream and a child that are in other slots. */
async function seedScattered({ store, streamManager }: Connection): Promise<void> {
  const child = { sessionId: 's1-sub-1-0', rootId: 's1', streamId: 'own-stream' };
  const odd = { sessionId: 'odd', rootId: 's1' };
  await seed(store, { sessions: [row, sessionRow(child), sessionRow(odd)] });
  await streamManager.append('own-stream', [{ chunk: textChunk('x') }]);
}

const hashOf = (script: Script): string => String(script.begin('')[0]);

async function keysOf({ client }: Connection, prefix: string): Promise<string[]> {
  const keys = await client.keys(`${prefix}:*`);
  // Each partition names the format that it was written in.
  return keys.filter((key) => !key.endsWith(':format'));
}

describeServer('redis', () => {
  describe('a client that sends its commands again', () => {
    it('commits once and is told so', async () => {
      const { behindProxy, direct, proxy } = await openLossy();
      await seed(direct.store, { sessions: [row] });
      const lost = proxy.loseReplyTo('the lost message');
      const message = { role: 'user', content: 'the lost message' } as const;
      const plan = planFor(row, { insert: { messages: [messageRow(1, { message })] } });
      expect(await behindProxy.store.commit(plan)).toBe(true);
      await lost;
      expect((await direct.store.readSession(row))?.version).toBe(2);
      expect(await direct.store.readMessages(row)).toHaveLength(1);
      expect(await behindProxy.store.commit(plan), 'the same plan later is another try').toBe(
        false,
      );
    });

    it('appends the chunks of a commit once', async () => {
      const { behindProxy, direct, proxy } = await openLossy();
      await seed(direct.store, { sessions: [row] });
      const lost = proxy.loseReplyTo('said with it');
      const stream = {
        streamId: 's1',
        agentId: 's1',
        agentType: 'a',
        entries: [{ chunk: textChunk('said with it') }],
        close: { as: 'paused' },
      } as const;
      expect(await behindProxy.store.commit(planFor(row, { stream }))).toBe(true);
      await lost;
      expect(await direct.streamManager.readChunks('s1')).toHaveLength(1);
    });

    it('deletes a session with its keys in other slots, and is told so', async () => {
      const { behindProxy, direct, proxy, prefix } = await openLossy();
      await seedScattered(direct);
      // So that the server knows the script by its hash, which is what is lost.
      await behindProxy.store.deleteSession({ rootId: 'none', sessionId: 'none' });
      const lost = proxy.loseReplyTo(hashOf(deleteSessionScript));
      expect(await behindProxy.store.deleteSession(row, { version: 1 })).toBe(true);
      await lost;
      expect(await keysOf(direct, prefix)).toEqual([]);
      expect(await behindProxy.store.deleteSession(row)).toBe(false);
    });

    it('is told that its commit missed when another was first', async () => {
      const { behindProxy, direct, proxy } = await openLossy();
      await seed(direct.store, { sessions: [row] });
      await direct.store.commit(planFor(row));
      const lost = proxy.loseReplyTo('too late');
      const plan = planFor(row, { sessions: [{ sessionId: 's1', set: { output: 'too late' } }] });
      expect(await behindProxy.store.commit(plan)).toBe(false);
      await lost;
      expect((await direct.store.readSession(row))?.output).toBeNull();
    });

    it('is told that its answer was accepted', async () => {
      const { behindProxy, direct, proxy } = await openLossy();
      const call = callRow('a');
      await seed(direct.store, { sessions: [row], calls: [call] });
      const lost = proxy.loseReplyTo('my own answer');
      const answer = { kind: 'result', value: 'my own answer' } as const;
      const input = {
        key: callKey(call),
        outcome: 'answered',
        answer,
        answeredBy: null,
        now: T0,
      } as const;
      expect(await behindProxy.store.answerCall(input)).toMatchObject({ taken: true });
      await lost;
      expect(await behindProxy.store.answerCall(input)).toMatchObject({ taken: false });
    });

    it('appends a chunk once', async () => {
      const { behindProxy, direct, proxy } = await openLossy();
      const lost = proxy.loseReplyTo('said once');
      expect(await behindProxy.streamManager.append('s', [{ chunk: textChunk('said once') }])).toBe(
        1,
      );
      await lost;
      expect(await direct.streamManager.readChunks('s')).toHaveLength(1);
    });

    it('gets the lock it acquired', async () => {
      const { client, prefix, proxy } = await openLossy();
      const locks = new RedisLockManager(client, { prefix });
      const lost = proxy.loseReplyTo('door');
      const lease = await locks.acquire('door', { ttlMs: 60_000 });
      await lost;
      expect(lease).not.toBeNull();
      expect(await lease?.release()).toBe(true);
    });
  });

  it('a client without retries rejects, and the write was applied', async () => {
    const { behindProxy, direct, proxy } = await openLossy({ maxRetriesPerRequest: 0 });
    await seed(direct.store, { sessions: [row] });
    const lost = proxy.loseReplyTo('not heard');
    const plan = planFor(row, { sessions: [{ sessionId: 's1', set: { output: 'not heard' } }] });
    await expect(behindProxy.store.commit(plan)).rejects.toThrow();
    await lost;
    expect((await direct.store.readSession(row))?.output).toBe('not heard');
  });

  it('a deletion whose process dies is finished by the next one', async () => {
    const { behindProxy, direct, proxy, prefix } = await openLossy({ maxRetriesPerRequest: 0 });
    await seedScattered(direct);
    await behindProxy.store.deleteSession({ rootId: 'none', sessionId: 'none' });
    const lost = proxy.loseReplyTo(hashOf(deleteSessionScript));
    await expect(behindProxy.store.deleteSession(row)).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    await lost;
    expect(await direct.store.readSession(row)).toBeNull();
    expect(await keysOf(direct, prefix), 'streams and notes are left').not.toEqual([]);
    expect(await direct.store.deleteSession(row), 'there is none any more').toBe(false);
    expect(await keysOf(direct, prefix)).toEqual([]);
  });

  it('LOCK-04 no update is lost or reported wrongly while connections break all the time', async () => {
    const { behindProxy, direct, proxy } = await openLossy();
    await seed(direct.store, { sessions: [row] });
    proxy.loseEvery(10);
    const wins: number[] = [];
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        for (let tries = 0; tries < 40; tries += 1) {
          const session = await behindProxy.store.readSession(row);
          const version = session!.version;
          const insert = { messages: [messageRow(version)] };
          if (await behindProxy.store.commit(planFor(session!, { insert }))) wins.push(version);
        }
      }),
    );
    proxy.loseEvery(0);
    expect(proxy.lost).toBeGreaterThan(3);
    expect(wins.toSorted((a, b) => a - b)).toEqual(wins.map((_, index) => index + 1));
    expect((await direct.store.readSession(row))?.version).toBe(wins.length + 1);
    expect(await direct.store.readMessages(row)).toHaveLength(wins.length);
  });

  it('a live reader misses nothing while its connections break', async () => {
    const { behindProxy, direct, proxy } = await openLossy();
    await direct.streamManager.createWriter('s', 's1', 'a');
    const reader = await behindProxy.streamManager.createResumableReader('s');
    proxy.loseEvery(7);
    const write = async (): Promise<void> => {
      for (let count = 0; count < 60; count += 1) {
        await direct.streamManager.append('s', [{ chunk: textChunk(`${count}`) }]);
      }
      await direct.streamManager.endStream('s');
    };
    const seen: number[] = [];
    const read = async (): Promise<void> => {
      for await (const { sequence } of reader!) seen.push(sequence);
    };
    await Promise.all([write(), read()]);
    expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });
});
