// If this fails: a person who watches an agent from another server waits for the next poll.
import { describeServer, startReplyProxy } from '@helix-agents/test-servers';
import { textChunk } from '@helix-agents/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  createPgAdapter,
  openPostgres,
  PostgresStreamManager,
  type PgListenClient,
  type PostgresStreamOptions,
} from '../src/index.ts';
import { newPool, testPostgres } from './database.ts';

/** Long enough to fail the test if a reader had to wait for it. */
const NEVER = 600_000;

describeServer('postgres', () => {
  const postgres = testPostgres();

  const open = (options: PostgresStreamOptions): PostgresStreamManager => {
    const streams = new PostgresStreamManager(createPgAdapter(postgres.pool), options);
    onTestFinished(() => streams.close());
    return streams;
  };
  const listeners = async (): Promise<number> => {
    const { rows } = await postgres.pool.query(
      `select count(*) as n from pg_stat_activity
       where query = 'listen __agents_streams' and state = 'idle' and datname = current_database()`,
    );
    return Number(rows[0].n);
  };
  const untilListening = (count: number): Promise<unknown> =>
    vi.waitUntil(async () => (await listeners()) === count, { timeout: 300_000 });

  it('a hint wakes a reader of another process at once, also at the end of the stream', async () => {
    await postgres.clear();
    const writer = open({ hint: true });
    const listening = open({ listen: postgres.pool, pollMs: NEVER });
    await writer.append('s', [{ chunk: textChunk('1') }]);
    const reader = await listening.createResumableReader('s');
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { chunk } of reader ?? []) {
        seen.push(chunk.type === 'text_delta' ? chunk.delta : chunk.type);
        // The next one is written once it waits, with an ear open.
        if (seen.length === 1) await untilListening(1);
        if (seen.length < 5)
          setTimeout(() => void writer.append('s', [{ chunk: textChunk('x') }]), 30);
        else setTimeout(() => void writer.endStream('s'), 30);
      }
    })();
    await reading;
    expect(seen).toEqual(['1', 'x', 'x', 'x', 'x']);
  });

  it('all readers share one listening connection, which is released after the last', async () => {
    await postgres.clear();
    const streams = open({ listen: postgres.pool });
    await streams.append('s', [{ chunk: textChunk('1') }]);
    const readers = await Promise.all(
      Array.from({ length: 20 }, () => streams.createResumableReader('s')),
    );
    await untilListening(1);
    for (const reader of readers) reader?.close();
    await untilListening(0);
  });

  it('the listener reconnects after its connection broke', async () => {
    await postgres.clear();
    const writer = open({ hint: true });
    const streams = open({ listen: postgres.pool, pollMs: NEVER });
    await writer.append('s', [{ chunk: textChunk('1') }]);
    const reader = await streams.createResumableReader('s');
    const iterator = reader![Symbol.asyncIterator]();
    await iterator.next();
    await untilListening(1);
    await postgres.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where query = 'listen __agents_streams' and datname = current_database()`,
    );
    await untilListening(0);
    await untilListening(1);
    const next = iterator.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await writer.append('s', [{ chunk: textChunk('2') }]);
    expect((await next).value).toMatchObject({ sequence: 2 });
  });

  /** Reads through a pool whose every connection fails to listen, until it has been tried a few times. */
  const readWithoutAnEar = async (
    url: string,
    spoil: (client: PgListenClient) => PgListenClient,
  ): Promise<void> => {
    const pool = newPool(url, 2);
    let tries = 0;
    const listen = {
      async connect() {
        tries += 1;
        return spoil(await pool.connect());
      },
    };
    const { streamManager, stateStore, close } = openPostgres(pool, { listen, pollMs: 20 });
    onTestFinished(async () => {
      close();
      await pool.end();
    });
    await streamManager.append('s', [{ chunk: textChunk('1') }]);
    const reader = await streamManager.createResumableReader('s');
    const reading = (async () => {
      for await (const { sequence } of reader!) if (sequence === 2) return sequence;
      return 0;
    })();
    await vi.waitUntil(() => tries > 2, { timeout: 300_000 });
    expect(await stateStore.loadState('nobody')).toBeNull();
    await streamManager.append('s', [{ chunk: textChunk('2') }]);
    expect(await reading).toBe(2);
  };

  it('a connection that cannot listen is released', async () => {
    await postgres.clear();
    await readWithoutAnEar(postgres.url, (client) => {
      const query = client.query.bind(client);
      client.query = (text) => query(text.startsWith('listen') ? 'select refused()' : text);
      return client;
    });
  });

  it('a connection that broke before it listened is released', async () => {
    await postgres.clear();
    const url = new URL(postgres.url);
    const proxy = await startReplyProxy({ port: Number(url.port) });
    onTestFinished(() => proxy.close());
    url.port = `${proxy.port}`;
    await readWithoutAnEar(url.href, (client) => {
      void proxy.loseReplyTo('listen __agents_streams');
      return client;
    });
  });

  it('a hint reaches the reader of a stream whose id has to be encoded', async () => {
    await postgres.clear();
    const id = 'odd\u0000\ue000\ud800';
    const writer = open({ hint: true });
    const streams = open({ listen: postgres.pool, pollMs: NEVER });
    await writer.append(id, [{ chunk: textChunk('1') }]);
    const reader = await streams.createResumableReader(id);
    const iterator = reader![Symbol.asyncIterator]();
    await iterator.next();
    await untilListening(1);
    const next = iterator.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await writer.append(id, [{ chunk: textChunk('2') }]);
    expect((await next).value).toMatchObject({ sequence: 2 });
  });

  it('`listen` on a shared pool of one connection is refused', async () => {
    const one = newPool(postgres.url, 1);
    onTestFinished(() => one.end());
    expect(() => openPostgres(one, { listen: one })).toThrow(
      expect.objectContaining({
        code: 'definition_invalid',
        message: expect.stringContaining('at least 2'),
      }),
    );
    expect(() => openPostgres(postgres.pool, { listen: one }).close()).not.toThrow();
  });

  it('a reader gets everything by polling when there are no hints', async () => {
    await postgres.clear();
    const writer = open({});
    const streams = open({ pollMs: 20 });
    await writer.append('s', [{ chunk: textChunk('1') }]);
    const reader = await streams.createResumableReader('s');
    const iterator = reader![Symbol.asyncIterator]();
    await iterator.next();
    const next = iterator.next();
    await writer.append('s', [{ chunk: textChunk('2') }]);
    expect((await next).value).toMatchObject({ sequence: 2 });
    reader!.close();
  });
});
