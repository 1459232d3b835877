import type { RedisStreamClient, RedisSubscriber } from '../client.ts';

/** Wakes readers of this process on new chunks. A lost hint only adds latency, because readers also poll. */
export interface LiveHints {
  /** Calls `listener` on each hint, and once when the subscription becomes active. Returns a function that ends it. */
  subscribe(channel: string, listener: () => void): () => void;
  close(): void;
}

/** How long the listening connection is kept without readers. */
const IDLE_MS = 5_000;

/** One connection for all streams of a process, opened when the first reader waits. */
export function createLiveHints(client: RedisStreamClient): LiveHints {
  const channels = new Map<string, Channel>();
  let connection: RedisSubscriber | null = null;
  let idle: NodeJS.Timeout | undefined;

  const tell = (channel: string): void => {
    for (const listener of channels.get(channel)?.listeners ?? []) listener();
  };
  const open = (): RedisSubscriber => {
    clearTimeout(idle);
    if (connection) return connection;
    const opened = client.duplicate();
    // A failed resubscription of ioredis would be an unhandled rejection, which ends the process.
    Object.assign(opened.options, { autoResubscribe: false });
    opened.on('message', tell);
    // Hints were lost while the connection was down.
    opened.on('ready', () => {
      for (const channel of channels.keys()) void listen(opened, channel).then(() => tell(channel));
    });
    opened.on('error', () => {});
    connection = opened;
    return opened;
  };
  const close = (): void => {
    clearTimeout(idle);
    connection?.disconnect();
    connection = null;
  };
  const join = (channel: string): Channel => {
    const subscribed = listen(open(), channel);
    const joined = { listeners: new Set<() => void>(), subscribed };
    channels.set(channel, joined);
    return joined;
  };
  const leave = (channel: string): void => {
    channels.delete(channel);
    // Fails without a connection; then there is no subscription either.
    connection?.unsubscribe(channel).catch(() => {});
    if (channels.size === 0) idle = setTimeout(close, IDLE_MS).unref();
  };

  return {
    subscribe(channel, listener) {
      const joined = channels.get(channel) ?? join(channel);
      joined.listeners.add(listener);
      void joined.subscribed.then(listener);
      return () => {
        joined.listeners.delete(listener);
        if (joined.listeners.size === 0 && channels.get(channel) === joined) leave(channel);
      };
    },
    close,
  };
}

/** If it fails, readers still poll. */
async function listen(connection: RedisSubscriber, channel: string): Promise<void> {
  await connection.subscribe(channel).catch(() => {});
}

interface Channel {
  readonly listeners: Set<() => void>;
  readonly subscribed: Promise<unknown>;
}
