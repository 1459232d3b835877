import { DefinitionError, noopLogger, type Logger } from '@helix-agents/core';
import { describeServer, startRedis, startRedisCluster } from '@helix-agents/test-servers';
import { expectNoMoreWrites, planFor, seed, sessionRow, textChunk } from '@helix-agents/testing';
import { Cluster, Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FORMAT } from '../src/format-version.ts';
import { decodeId, encodeId, PARTITION_TAGS } from '../src/keys.ts';
import {
  openRedis,
  RedisLockManager,
  RedisStateStore,
  RedisStreamManager,
  RedisUsageStore,
} from '../src/index.ts';
import { openSpace } from './connections.ts';

const ttl = { ttlMs: 60_000 };

/** What a new store says about a server with these settings. */
async function warningsOf(...settings: readonly string[]): Promise<string[]> {
  const server = await startRedis({ settings });
  const client = new Redis(server.url);
  onTestFinished(async () => {
    client.disconnect();
    await server.stop();
  });
  return warningsOver(client);
}

async function warningsOver(client: Redis | Cluster): Promise<string[]> {
  const warnings: string[] = [];
  const logger: Logger = { ...noopLogger, warn: (message) => void warnings.push(message) };
  await new RedisStateStore(client, { logger }).checked;
  return warnings;
}

describeServer('redis', () => {
  describe('the warning about a server that can lose data', () => {
    it('is logged without an append-only file', async () => {
      expect(await warningsOf()).toEqual([expect.stringContaining('appendonly yes')]);
    });

    it('is logged when the server evicts keys', async () => {
      const warnings = await warningsOf('appendonly yes', 'maxmemory-policy allkeys-lru');
      expect(warnings).toEqual([expect.stringContaining('noeviction')]);
    });

    it('is logged with appendfsync no', async () => {
      const warnings = await warningsOf('appendonly yes', 'appendfsync no');
      expect(warnings).toEqual([expect.stringContaining('appendfsync')]);
    });

    it('is named once when it is any of the masters of a cluster', async () => {
      const servers = await startRedisCluster();
      onTestFinished(() => servers.stop());
      const [, ...others] = servers.nodes;
      for (const { url } of others) {
        const node = new Redis(url);
        await node.config('SET', 'maxmemory-policy', 'allkeys-lru');
        node.disconnect();
      }
      const cluster = new Cluster(servers.nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
      onTestFinished(() => cluster.disconnect());
      const warnings = await warningsOver(cluster);
      expect(warnings).toHaveLength(2);
      expect(warnings).toContainEqual(expect.stringContaining('appendonly yes'));
      expect(warnings).toContainEqual(expect.stringContaining('noeviction'));
    });

    it('is not logged with safe settings', async () => {
      expect(await warningsOf('appendonly yes', 'appendfsync always')).toEqual([]);
    });
  });

  it('the store works with a server that lost its scripts', async () => {
    const space = await openSpace();
    const { store, streamManager } = space.open();
    const client = new Redis(space.url);
    onTestFinished(async () => {
      client.disconnect();
      await space.close();
    });
    await seed(store, { sessions: [sessionRow()] });
    await client.script('FLUSH');
    expect(await store.commit(planFor(sessionRow()))).toBe(true);
    await client.script('FLUSH');
    expect(await streamManager.append('s', [{ chunk: textChunk('x') }])).toBe(1);
  });

  it('the store writes its format with the first command, and refuses keys of newer code', async () => {
    const space = await openSpace();
    const client = new Redis(space.url);
    onTestFinished(async () => {
      client.disconnect();
      await space.close();
    });
    const first = space.open();
    await Promise.all([first.store.readSession(sessionRow()), first.lockManager.acquire('k', ttl)]);
    expect(await client.get(`${space.prefix}:format`)).toBe(`${FORMAT}`);
    await seed(first.store, { sessions: [sessionRow()] });

    await client.set(`${space.prefix}:format`, FORMAT + 1);
    const { store, streamManager, usageStore, lockManager } = space.open();
    const older = {
      code: 'store_schema_mismatch',
      message: expect.stringContaining('update the code'),
    };
    await expect(store.commit(planFor(sessionRow()))).rejects.toMatchObject(older);
    await expect(store.readSession(sessionRow())).rejects.toMatchObject(older);
    await expect(streamManager.getStreamInfo('s')).rejects.toMatchObject(older);
    await expect(usageStore.getEntries('s1')).rejects.toMatchObject(older);
    await expect(lockManager.acquire('k', ttl)).rejects.toMatchObject(older);
    await client.set(`${space.prefix}:format`, FORMAT);
    expect(await store.commit(planFor(sessionRow())), 'it looks again').toBe(true);
  });

  it('the store is not written to by code that was running when a newer release raised the format', async () => {
    const space = await openSpace();
    const client = new Redis(space.url);
    onTestFinished(async () => {
      client.disconnect();
      await space.close();
    });
    const { store, streamManager } = space.open();
    const raise = (): Promise<unknown> =>
      Promise.all(
        PARTITION_TAGS.map((tag) => client.set(`${space.prefix}:{${tag}}:format`, FORMAT + 1)),
      );
    await expectNoMoreWrites({ store, streams: streamManager, raise });
  });

  const lazyConnect = true;
  const nodes = [{ host: '127.0.0.1', port: 1 }];
  it.each([
    ['renames keys', /prefix/, () => new Redis({ keyPrefix: 'mine:', lazyConnect })],
    ['answers texts', /stringNumbers/, () => new Redis({ stringNumbers: true, lazyConnect })],
    [
      'answers texts of a cluster',
      /stringNumbers/,
      () => new Cluster(nodes, { redisOptions: { stringNumbers: true }, lazyConnect }),
    ],
    [
      'reads from replicas',
      /scaleReads/,
      () => new Cluster(nodes, { scaleReads: 'slave', lazyConnect }),
    ],
    [
      'may read from replicas',
      /scaleReads/,
      () => new Cluster(nodes, { scaleReads: () => null, lazyConnect }),
    ],
  ])('refuses a client that %s', (_, message, connect) => {
    const client = connect();
    onTestFinished(() => client.disconnect());
    for (const Store of [RedisStateStore, RedisStreamManager, RedisUsageStore, RedisLockManager]) {
      expect(() => new Store(client)).toThrow(message);
    }
    expect(() => openRedis(client)).toThrow(DefinitionError);
  });

  it.each(['redis://:secret@localhost', null])(
    'openRedis refuses %j, which is no client',
    (given) => {
      expect(() => openRedis(given as never)).toThrow(DefinitionError);
      expect(() => openRedis(given as never)).toThrow('openRedis(new Redis(url))');
      expect(() => openRedis(given as never)).not.toThrow('secret');
    },
  );

  it('the store accepts a cluster client that reads from masters', () => {
    const client = new Cluster(nodes, { scaleReads: 'master', lazyConnect });
    onTestFinished(() => client.disconnect());
    expect(() => new RedisStateStore(client)).not.toThrow();
  });

  it('only keys of the format are left when everything is deleted', async () => {
    const space = await openSpace();
    const { store, streamManager } = space.open();
    const client = new Redis(space.url);
    onTestFinished(async () => {
      client.disconnect();
      await space.close();
    });
    await seed(store, {
      sessions: [sessionRow({ userId: 'u' }), sessionRow({ sessionId: 'odd child', rootId: 's1' })],
    });
    await streamManager.append('s1', [{ chunk: textChunk('x'), dedupeKey: 'k' }]);
    await store.deleteSession({ rootId: 's1', sessionId: 's1' });
    const left = await client.keys(`${space.prefix}:*`);
    expect(left.filter((key) => !key.endsWith(':format'))).toEqual([]);
  });

  describe('a stream', () => {
    it('keeps about the newest chunks, and continues its numbers', async () => {
      const space = await openSpace();
      onTestFinished(space.close);
      const client = new Redis(space.url);
      onTestFinished(() => client.disconnect());
      const streams = new RedisStreamManager(client, { prefix: space.prefix, maxChunks: 100 });
      for (let count = 0; count < 20; count += 1) {
        await streams.append(
          's',
          Array.from({ length: 50 }, () => ({ chunk: textChunk('x') })),
        );
      }
      const info = await streams.getStreamInfo('s');
      expect(info?.head).toBe(1_000);
      expect(info?.chunkCount).toBeLessThan(400);
      expect((await streams.readChunks('s')).at(-1)?.sequence).toBe(1_000);
      streams.close();
    });

    it.each([{ ttlMs: -1 }, { ttlMs: 0.5 }, { ttlMs: Number.NaN }, { ttl: -1 }, { ttl: 1e-4 }])(
      'is not kept for %j',
      (options) => {
        const client = new Redis({ lazyConnect: true });
        expect(() => new RedisStreamManager(client, options)).toThrow(/ttl/);
      },
    );

    it.each([-1, 1.5, Number.NaN, Infinity])('does not keep its newest %s chunks', (maxChunks) => {
      const client = new Redis({ lazyConnect: true });
      const create = (): unknown => new RedisStreamManager(client, { maxChunks });
      expect(create).toThrow(DefinitionError);
      expect(create).toThrow(/maxChunks/);
    });

    it('is kept for as many seconds as `ttl` says', async () => {
      const space = await openSpace();
      onTestFinished(space.close);
      const client = new Redis(space.url);
      onTestFinished(() => client.disconnect());
      const streams = new RedisStreamManager(client, { prefix: space.prefix, ttl: 60 });
      await streams.append('s', [{ chunk: textChunk('1') }]);
      await streams.endStream('s');
      const [key] = await client.keys(`${space.prefix}:*:s:stream`);
      const left = await client.pttl(key!);
      expect(left).toBeGreaterThan(1_000);
      expect(left).toBeLessThanOrEqual(60_000);
    });

    it('expires its chunks after it has ended, never while it waits, and uses no number twice', async () => {
      const space = await openSpace();
      onTestFinished(space.close);
      const client = new Redis(space.url);
      onTestFinished(() => client.disconnect());
      const streams = new RedisStreamManager(client, { prefix: space.prefix, ttlMs: 60_000 });
      const log = async (): Promise<number> => {
        const [key] = await client.keys(`${space.prefix}:*:s:stream`);
        return client.pttl(key!);
      };
      await streams.append('s', [{ chunk: textChunk('1') }]);
      await streams.pauseStream('s');
      expect(await log(), 'paused: for ever').toBe(-1);
      await streams.endStream('s');
      expect(await log()).toBeGreaterThan(0);
      await streams.reactivateStream('s');
      expect(await log(), 'in use again').toBe(-1);
      await streams.endStream('s');
      // As if the time were over.
      for (const key of await client.keys(`${space.prefix}:*:s:stream`)) await client.del(key);
      await streams.reactivateStream('s');
      expect(await streams.append('s', [{ chunk: textChunk('2') }])).toBe(2);
      expect((await streams.readChunks('s')).map(({ sequence }) => sequence)).toEqual([2]);
      streams.close();
    });
  });
});

it.each([
  'plain-id_1.2~',
  'a:b',
  'end:call 1@2|~',
  '{x}',
  '100%',
  'é',
  '\ud800',
  'a\u0000b',
  '',
  '👍',
])('writes the id %j so that keys can hold it, and back', (id) => {
  const encoded = encodeId(id);
  expect(encoded).not.toMatch(/[:{}]/);
  expect(Buffer.from(encoded).toString()).toBe(encoded);
  expect(decodeId(encoded)).toBe(id);
});

it('the partitions are spread evenly over the hash slots', () => {
  const sixteenths = PARTITION_TAGS.map((tag) => Math.floor(slotOf(tag) / 1024));
  expect(sixteenths).toEqual([...PARTITION_TAGS.keys()]);
});

/** CRC-16 of the tag, as a cluster computes it. */
function slotOf(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return crc % 16_384;
}
