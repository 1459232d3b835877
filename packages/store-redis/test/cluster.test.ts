import { randomUUID } from 'node:crypto';
import {
  describeServer,
  startRedisCluster,
  type RedisClusterServers,
} from '@helix-agents/test-servers';
import { callRow, messageRow, runRow, seed, sessionRow } from '@helix-agents/testing';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSpaceOver } from './connections.ts';
import { overClient } from './over-client.ts';
import { testStores } from './suites.ts';

describeServer('redis', () => {
  let servers: RedisClusterServers;
  beforeAll(async () => {
    servers = await startRedisCluster();
  });
  afterAll(() => servers.stop());

  const connect = (): Cluster =>
    new Cluster(servers.nodes.map(({ port }) => ({ host: '127.0.0.1', port })));

  testStores('redis cluster', async () => openSpaceOver(connect, ''));

  it('a cluster has each tree on one node, and trees on all nodes', async () => {
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
    const found = await Promise.all(
      cluster.nodes('master').map((node) => node.keys(`${prefix}:*`)),
    );
    // The key that finds the root of a child by the child's id is no part of the tree.
    const perNode = found.map((keys) => keys.filter((key) => !key.includes(':root-of:')));
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
});
