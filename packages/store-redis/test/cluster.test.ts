import { randomUUID } from 'node:crypto';
import {
  describeServer,
  startRedisCluster,
  type RedisClusterServers,
} from '@helix-agents/test-servers';
import {
  callRow,
  messageRow,
  runRow,
  seed,
  sessionRow,
  testSessionStore,
  testStreamManager,
  testUsageStore,
} from '@helix-agents/testing';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisLockManager } from '../src/index.ts';
import { overClient, type Connection } from './over-client.ts';

const capabilities = { shared: true, persistent: true };

describeServer('redis', () => {
  let servers: RedisClusterServers;
  beforeAll(async () => {
    servers = await startRedisCluster();
  }, 60_000);
  afterAll(() => servers.stop());

  const connect = (): Cluster =>
    new Cluster(servers.nodes.map(({ port }) => ({ host: '127.0.0.1', port })));

  const openSpace = (): { open(): Connection; close(): Promise<void> } => {
    const prefix = `t-${randomUUID()}`;
    const opened: Connection[] = [];
    return {
      open() {
        const connection = overClient(connect(), prefix);
        opened.push(connection);
        return connection;
      },
      async close() {
        for (const connection of opened) connection.close();
      },
    };
  };

  testSessionStore({
    name: 'redis cluster',
    capabilities,
    create: async () => {
      const space = openSpace();
      const first = space.open();
      return {
        store: first.store,
        streams: first.streamManager,
        openSecond: async () => space.open().store,
        reopen: async () => {
          first.close();
          return space.open().store;
        },
        close: () => space.close(),
      };
    },
  });

  testStreamManager({
    name: 'redis cluster',
    capabilities,
    create: async () => {
      const space = openSpace();
      const first = space.open();
      return {
        streams: first.streamManager,
        openSecond: async () => space.open().streamManager,
        reopen: async () => {
          first.close();
          return space.open().streamManager;
        },
        close: () => space.close(),
      };
    },
  });

  testUsageStore({
    name: 'redis cluster',
    create: async () => {
      const space = openSpace();
      const { usageStore, stateStore } = space.open();
      return { usage: usageStore, sessions: stateStore.sessions, close: () => space.close() };
    },
  });

  it('keeps a tree on one node and spreads trees over all', { timeout: 60_000 }, async () => {
    const prefix = `t-${randomUUID()}`;
    const cluster = connect();
    const { store, streamManager, close } = overClient(cluster, prefix);
    const ids = Array.from({ length: 60 }, () => randomUUID());
    for (const sessionId of ids) {
      const child = `${sessionId}-sub-1-0`;
      await seed(store, {
        sessions: [sessionRow({ sessionId }), sessionRow({ sessionId: child, rootId: sessionId })],
        messages: [messageRow(1, { sessionId }), messageRow(1, { sessionId: child })],
        calls: [callRow('a', { rootId: sessionId })],
        runs: [runRow('r', { sessionId })],
      });
      const base = { agentId: sessionId, agentType: 'a', timestamp: 1, step: 1 };
      await streamManager.append(sessionId, [
        { chunk: { ...base, type: 'text_delta', delta: 'x' } },
      ]);
    }
    const perNode = await Promise.all(
      cluster.nodes('master').map((node) => node.keys(`${prefix}:*`)),
    );
    const homes = ids.map(
      (id) => perNode.filter((keys) => keys.some((key) => key.includes(id))).length,
    );
    expect(new Set(homes)).toEqual(new Set([1]));
    for (const keys of perNode) {
      const trees = ids.filter((id) => keys.some((key) => key.includes(`${id}:session`)));
      expect(trees.length).toBeGreaterThan(5);
    }
    expect((await store.listSessions({ limit: 100 })).items).toHaveLength(60);
    close();
  });

  it('gives a lock to one of many', async () => {
    const clients = [connect(), connect()];
    const prefix = `t-${randomUUID()}`;
    const managers = clients.map((client) => new RedisLockManager(client, { prefix }));
    const leases = await Promise.all(
      Array.from({ length: 10 }, (_, racer) => managers[racer % 2]!.acquire('k', { ttlMs: 5_000 })),
    );
    expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
    for (const client of clients) client.disconnect();
  });
});
