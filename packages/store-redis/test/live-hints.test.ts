// If this fails: a reader waits for its slow look after the listening connection broke, or a process ends because it closed
// its streams in that moment.
import { describeServer, startReplyProxy, type ReplyProxy } from '@helix-agents/test-servers';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { RedisStreamClient } from '../src/client.ts';
import { createLiveHints, type LiveHints } from '../src/stream/live-hints.ts';
import { openSpace } from './connections.ts';

interface Listening {
  readonly hints: LiveHints;
  /** The connection that listens. */
  readonly connection: Redis;
  readonly heard: ReturnType<typeof vi.fn<() => void>>;
  readonly client: Redis;
  readonly proxy: ReplyProxy;
  /** Breaks the connection from the server's side. */
  readonly breakIt: () => Promise<void>;
}

async function listening(): Promise<Listening> {
  const space = await openSpace();
  const client = new Redis(space.url);
  const proxy = await startReplyProxy({ port: Number(new URL(space.url).port) });
  let connection: Redis | undefined;
  const remembering: RedisStreamClient = {
    options: {},
    call: (command, args) => client.call(command, args),
    duplicate: () => (connection = client.duplicate({ port: proxy.port, host: '127.0.0.1' })),
  };
  const hints = createLiveHints(remembering);
  onTestFinished(async () => {
    hints.close();
    client.disconnect();
    await proxy.close();
    await space.close();
  });
  const heard = vi.fn<() => void>();
  hints.subscribe('news', heard);
  await vi.waitFor(() => expect(heard).toHaveBeenCalled(), { timeout: 300_000 });
  const opened = connection as unknown as Redis;
  const id = await idOf(client);
  return {
    hints,
    connection: opened,
    heard,
    client,
    proxy,
    breakIt: async () => void (await client.call('CLIENT', ['KILL', 'ID', id])),
  };
}

/** The connection that is subscribed to `news`. */
async function idOf(client: Redis): Promise<string> {
  const list = String(await client.call('CLIENT', ['LIST', 'TYPE', 'pubsub']));
  const line = list.split('\n').findLast((one) => one.includes(' sub=1 '));
  return /id=(\d+)/.exec(line ?? '')?.[1] ?? '';
}

describeServer('redis', () => {
  it('a reader gets hints again after the listening connection broke', async () => {
    const { heard, client, breakIt, connection } = await listening();
    const back = new Promise((resolve) => void connection.once('ready', resolve));
    await breakIt();
    await back;
    await vi.waitFor(async () => {
      const [, listeners] = (await client.call('PUBSUB', ['NUMSUB', 'news'])) as [string, number];
      expect(listeners).toBe(1);
    }, 300_000);
    heard.mockClear();
    await client.publish('news', 'chunks');
    await vi.waitFor(() => expect(heard).toHaveBeenCalled(), { timeout: 300_000 });
  });

  it('a stream manager can be closed while its connection is restored', async () => {
    const { hints, breakIt, proxy } = await listening();
    const rejected = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', rejected);
    onTestFinished(() => void process.off('unhandledRejection', rejected));
    const lost = proxy.loseReplyTo('news');
    await breakIt();
    await lost;
    hints.close();
    await new Promise((resolve) => void setTimeout(resolve, 100));
    expect(rejected).not.toHaveBeenCalled();
  });
});
