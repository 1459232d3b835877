import type { RedisStreamClient, RedisSubscriber } from '../client.ts';

/** Tells readers of this process to look. A lost hint only delays: readers also look by themselves. */
export interface LiveHints {
  /** The listener is also told once when hints begin to arrive: there may be something already. Returns what ends it. */
  subscribe(channel: string, listener: () => void): () => void;
  close(): void;
}

/** The listening connection is given up when nobody has listened for this long. */
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
    // ioredis hands on to nobody that subscribing again failed, and a rejection that nobody handles ends the process.
    Object.assign(opened.options, { autoResubscribe: false });
    opened.on('message', tell);
    // Hints were lost while it was away.
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
    // It fails when the connection is gone, and then nobody is subscribed anyway.
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

/** Where it fails readers look by themselves. */
async function listen(connection: RedisSubscriber, channel: string): Promise<void> {
  await connection.subscribe(channel).catch(() => {});
}

interface Channel {
  readonly listeners: Set<() => void>;
  readonly subscribed: Promise<unknown>;
}
