// If this fails: the stream write of a commit goes where no reader looks, or with other settings than those of the stream.
import { noopLogger } from '@helix-agents/core';
import { canCarry, type StreamWrite } from '@helix-agents/core/store';
import { describeServer } from '@helix-agents/test-servers';
import { planFor, seed, sessionRow, textChunk } from '@helix-agents/testing';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { openRedis, RedisStateStore, RedisStreamManager } from '../src/index.ts';
import { openSpace } from './connections.ts';

const row = sessionRow();

function saying(streamId: string, close?: StreamWrite['close']): StreamWrite {
  const entries = [{ chunk: textChunk('x') }, { chunk: textChunk('y'), dedupeKey: 'odd: {%}' }];
  return { streamId, agentId: 's1', agentType: 'a', entries, ...(close && { close }) };
}

async function connect(): Promise<{ client: Redis; prefix: string }> {
  const { url, prefix, close } = await openSpace();
  const client = new Redis(url);
  onTestFinished(async () => {
    client.disconnect();
    await close();
  });
  return { client, prefix };
}

describeServer('redis', () => {
  it('the stream write of a commit uses the ttl and maxChunks of the streams', async () => {
    const { client, prefix } = await connect();
    const options = { prefix, ttlMs: 60_000, maxChunks: 100, logger: noopLogger };
    const { stateStore, streamManager } = openRedis(client, options);
    await seed(stateStore.sessions, { sessions: [row] });
    const many = Array.from({ length: 400 }, () => ({ chunk: textChunk('x') }));
    const stream = { ...saying('s1', { as: 'ended' }), entries: many };
    expect(await stateStore.sessions.commit(planFor(row, { stream }))).toBe(true);
    const [key] = await client.keys(`${prefix}:*:stream`);
    expect(await client.pttl(key as string)).toBeGreaterThan(50_000);
    expect((await streamManager.getStreamInfo('s1'))?.chunkCount).toBeLessThan(300);
    const next = { ...row, version: 2 };
    const opening = { ...saying('s1'), entries: [] };
    expect(await stateStore.sessions.commit(planFor(next, { stream: opening }))).toBe(true);
    expect(await client.pttl(key as string), 'open again, it has no end').toBe(-1);
  });

  it('commits and appends share the dedupe keys of a stream', async () => {
    const { client, prefix } = await connect();
    const { stateStore, streamManager } = openRedis(client, { prefix, logger: noopLogger });
    await seed(stateStore.sessions, { sessions: [row] });
    const said = saying('s1');
    expect(await stateStore.sessions.commit(planFor(row, { stream: said }))).toBe(true);
    expect(await streamManager.append('s1', said.entries), 'only what has no key').toBe(3);
  });

  it('a commit with a stream write is refused by a store without `streams`', async () => {
    const { client, prefix } = await connect();
    const store = new RedisStateStore(client, { prefix, logger: noopLogger });
    const streams = new RedisStreamManager(client, { prefix });
    expect(canCarry(store.sessions, streams)).toBe(false);
    const plan = planFor(row, { stream: saying('s1') });
    await expect(store.sessions.commit(plan)).rejects.toMatchObject({ code: 'definition_invalid' });
    const mismatch = (): unknown => new RedisStateStore(client, { prefix: 'other', streams });
    expect(mismatch).toThrow(/name the same for both/);
  });

  it('a commit with a stream in another hash slot is refused', async () => {
    const { client, prefix } = await connect();
    const { stateStore, streamManager } = openRedis(client, { prefix, logger: noopLogger });
    await seed(stateStore.sessions, { sessions: [row] });
    const plan = planFor(row, { stream: saying('elsewhere') });
    await expect(stateStore.sessions.commit(plan)).rejects.toThrow(/another hash slot/);
    expect((await stateStore.sessions.readSession(row))?.version).toBe(1);
    expect(await streamManager.getStreamInfo('elsewhere')).toBeNull();
  });
});
