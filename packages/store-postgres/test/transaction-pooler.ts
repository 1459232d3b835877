import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A pooler in transaction mode that knows nothing of prepared statements, as PgBouncer without `max_prepared_statements`: all clients share
 * a few connections to the server, and each statement goes to the next of them. For servers that ask for no password.
 */
export interface TransactionPooler {
  readonly port: number;
  close(): Promise<void>;
}

export async function startTransactionPooler(
  target: { readonly port: number },
  connections = 2,
): Promise<TransactionPooler> {
  const sockets = new Set<Socket>();
  const backends: Backend[] = [];
  let turn = 0;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.setNoDelay();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };

  const server = createServer((client) => {
    keep(client);
    let pending = Buffer.alloc(0);
    let greeting: Promise<unknown> | null = null;
    client.on('data', (data: Buffer) => {
      pending = Buffer.concat([pending, data]);
      if (greeting === null) {
        const length = pending.length < 4 ? Infinity : pending.readInt32BE(0);
        if (pending.length < length) return;
        const startup = pending.subarray(0, length);
        pending = pending.subarray(length);
        while (backends.length < connections) {
          backends.push(openBackend(keep(connect(target.port, '127.0.0.1')), startup));
        }
        greeting = (backends[0] as Backend).greeting.then((bytes) => client.write(bytes));
      }
      for (;;) {
        const end = endOfTransaction(pending);
        if (end === 0) return;
        const request = pending.subarray(0, end);
        pending = pending.subarray(end);
        if (request[0] === TERMINATE) return;
        const backend = backends[(turn += 1) % connections] as Backend;
        greeting = greeting.then(() => backend.send(request)).then((reply) => client.write(reply));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

interface Backend {
  /** What the server says to a new connection. */
  readonly greeting: Promise<Buffer>;
  /** Resolves with the whole reply. Requests wait for each other. */
  send(request: Buffer): Promise<Buffer>;
}

function openBackend(socket: Socket, startup: Buffer): Backend {
  let received = Buffer.alloc(0);
  let onReply: ((reply: Buffer) => void) | null = null;
  socket.on('data', (data: Buffer) => {
    received = Buffer.concat([received, data]);
    if (!endsReady(received)) return;
    const reply = received;
    received = Buffer.alloc(0);
    onReply?.(reply);
  });
  const ask = (request: Buffer): Promise<Buffer> =>
    new Promise((resolve) => {
      onReply = resolve;
      socket.write(request);
    });
  const greeting = ask(startup);
  let last: Promise<unknown> = greeting;
  return {
    greeting,
    send(request) {
      const reply = last.then(() => ask(request));
      last = reply;
      return reply;
    },
  };
}

const SYNC = 'S'.charCodeAt(0);
const QUERY = 'Q'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);
const READY = 'Z'.charCodeAt(0);

/** Where the first request that ends a transaction ends in these bytes; 0 when it has not arrived whole. */
function endOfTransaction(bytes: Buffer): number {
  for (let at = 0; at + 5 <= bytes.length;) {
    const type = bytes[at];
    at += 1 + bytes.readInt32BE(at + 1);
    if (at > bytes.length) return 0;
    if (type === SYNC || type === QUERY || type === TERMINATE) return at;
  }
  return 0;
}

/** The bytes are whole messages, of which the last is ReadyForQuery. */
function endsReady(bytes: Buffer): boolean {
  let type: number | undefined;
  let at = 0;
  while (at + 5 <= bytes.length) {
    type = bytes[at];
    at += 1 + bytes.readInt32BE(at + 1);
  }
  return at === bytes.length && type === READY;
}
