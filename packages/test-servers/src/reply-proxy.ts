import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

/** Stands between a client and a server on loopback and can lose what the server answers. */
export interface ReplyProxy {
  readonly port: number;
  /**
   * Lets the next request that contains this text reach the server, then throws its reply away with the connection: the
   * server has done it, the client never hears. Resolves when that has happened.
   */
  loseReplyTo(text: string): Promise<void>;
  /** Cuts a connection at every so many replies, before the reply is passed on; 0 stops that. */
  loseEvery(replies: number): void;
  /** Cuts every connection that is open, wherever it is in its work; says how many. */
  cutAll(): number;
  /** How many replies were lost so far. */
  readonly lost: number;
  close(): Promise<void>;
}

export async function startReplyProxy(target: {
  readonly port: number;
  readonly host?: string;
}): Promise<ReplyProxy> {
  const pairs = new Set<() => void>();
  const wanted: { readonly text: string; readonly done: () => void }[] = [];
  let [every, replies, lost] = [0, 0, 0];

  const server = createServer((client) => {
    const upstream = connect(target.port, target.host ?? '127.0.0.1');
    let onReply: (() => void) | null = null;
    const cut = (): void => {
      pairs.delete(cut);
      client.destroy();
      upstream.destroy();
    };
    pairs.add(cut);
    for (const socket of [client, upstream]) {
      socket.setNoDelay();
      socket.on('error', cut);
      socket.on('close', cut);
    }
    client.on('data', (data) => {
      const place = wanted.findIndex(({ text }) => data.includes(text));
      if (place >= 0) onReply = wanted.splice(place, 1)[0]?.done ?? null;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      replies += 1;
      if (onReply === null && (every === 0 || replies % every !== 0)) {
        client.write(data);
        return;
      }
      lost += 1;
      cut();
      onReply?.();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    loseReplyTo: (text) => new Promise((done) => wanted.push({ text, done })),
    loseEvery(count) {
      every = count;
    },
    cutAll: () => cutEach([...pairs]),
    get lost() {
      return lost;
    },
    async close() {
      server.close();
      cutEach([...pairs]);
      await once(server, 'close');
    },
  };
}

function cutEach(cuts: readonly (() => void)[]): number {
  for (const cut of cuts) cut();
  return cuts.length;
}
