// If this fails: an outage looks like a programming error, and callers give up instead of retrying.
import { once } from 'node:events';
import { StoreUnavailableError } from '@helix-agents/core';
import { describeServer, startRedis, type RedisServerOptions } from '@helix-agents/test-servers';
import { planFor, seed, sessionRow, textChunk } from '@helix-agents/testing';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { withStoreErrors } from '../src/errors.ts';
import { overClient, type Connection } from './over-client.ts';

const unavailable = { code: 'store_unavailable', retryable: true, statusCode: 503 };

async function openOwn(
  options?: RedisServerOptions,
): Promise<Connection & { readonly kill: () => Promise<void> }> {
  const server = await startRedis(options);
  const client = new Redis(server.url, { maxRetriesPerRequest: 1, retryStrategy: () => 5 });
  client.on('error', () => {});
  const connection = overClient(client, 'agent');
  onTestFinished(async () => {
    connection.close();
    await server.stop();
  });
  return { ...connection, kill: () => server.kill() };
}

/** One call of each part. */
const callsOf = ({ stateStore, store, streamManager, lockManager, usageStore }: Connection) => [
  () => stateStore.loadState('s1'),
  () => store.commit(planFor(sessionRow())),
  () => store.listSessions(),
  () => streamManager.append('s', [{ chunk: textChunk('x') }]),
  () => lockManager.acquire('k', { ttlMs: 1_000 }),
  () => usageStore.getEntries('s1'),
];

describeServer('redis', () => {
  it.each(['before', 'after'])(
    'a server that is gone %s the first command is unavailable, and may be tried again',
    async (moment) => {
      const connection = await openOwn();
      if (moment === 'after') await seed(connection.store, { sessions: [sessionRow()] });
      await connection.kill();
      for (const call of callsOf(connection)) {
        const error = await Promise.resolve(call()).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject(unavailable);
        expect(StoreUnavailableError.isInstance(error)).toBe(true);
      }
    },
  );

  it('a closed client rejects as store_unavailable', async () => {
    const { store, client } = await openOwn();
    await store.readSession(sessionRow());
    client.disconnect();
    await once(client, 'end');
    await expect(store.readSession(sessionRow())).rejects.toMatchObject(unavailable);
  });

  it('a server without memory rejects whole writes as store_unavailable, and works again when there is room', async () => {
    const connection = await openOwn({ settings: ['maxmemory-policy noeviction'] });
    const { store, client } = connection;
    await seed(store, { sessions: [sessionRow()] });
    await client.call('CONFIG', ['SET', 'maxmemory', '1mb']);
    await expect(store.commit(planFor(sessionRow()))).rejects.toMatchObject(unavailable);
    await expect(
      connection.streamManager.append('s', [{ chunk: textChunk('x') }]),
    ).rejects.toMatchObject(unavailable);
    expect((await store.readSession(sessionRow()))?.version).toBe(1);
    await client.call('CONFIG', ['SET', 'maxmemory', '0']);
    expect(await store.commit(planFor(sessionRow()))).toBe(true);
  });

  it('a replica rejects writes as store_unavailable', async () => {
    const { store, client } = await openOwn();
    await seed(store, { sessions: [sessionRow()] });
    await client.call('REPLICAOF', ['127.0.0.1', '1']);
    await expect(store.commit(planFor(sessionRow()))).rejects.toMatchObject(unavailable);
  });

  it('an error of the caller is not store_unavailable', async () => {
    const { store, client } = await openOwn();
    await seed(store, { sessions: [sessionRow()] });
    const [key] = await client.keys('agent:*:session:s1');
    await client.set(key!, 'not a hash');
    const error = await store.commit(planFor(sessionRow())).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining('WRONGTYPE') });
    expect(StoreUnavailableError.isInstance(error)).toBe(false);
  });
});

it.each([
  'LOADING Redis is loading the dataset in memory',
  'CLUSTERDOWN The cluster is down',
  'MISCONF Redis is configured to save RDB snapshots',
  'Too many Cluster redirections. Last error: ReplyError: TRYAGAIN Multiple keys',
  'ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -OOM command not allowed',
])('%j is unavailable', async (message) => {
  const client = withStoreErrors({ options: {}, call: () => Promise.reject(new Error(message)) });
  await expect(client.call('GET', ['k'])).rejects.toMatchObject(unavailable);
});
