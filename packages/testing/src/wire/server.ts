import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One HTTP answer of the provider. */
export interface WireReply {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  /** Written one by one. */
  readonly body: readonly string[];
  /** Bytes of the body that are sent before the connection ends. */
  readonly cutAt?: number;
  /** How it ends: as if complete (default), by a broken connection, or not before the client leaves. */
  readonly ending?: 'close' | 'destroy' | 'hang';
}

export interface WireServer {
  readonly url: string;
  /** Bodies as they came, oldest first. */
  readonly bodies: readonly string[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** Requests whose client went away before the answer ended. */
  readonly left: number;
  reply(...replies: readonly WireReply[]): void;
  close(): Promise<void>;
}

/** A provider on this machine. It answers from the queue that `reply` fills, or by `answer` where that is given. */
export async function startWire(answer?: (body: string) => WireReply): Promise<WireServer> {
  const queue: WireReply[] = [];
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let left = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    response.on('close', () => {
      if (!response.writableFinished) left += 1;
    });
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      bodies.push(body);
      headers.push(request.headers);
      const none: WireReply = { status: 500, body: ['no reply left'] };
      void send(response, queue.shift() ?? answer?.(body) ?? none);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    headers,
    get left() {
      return left;
    },
    reply: (...replies) => void queue.push(...replies),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function send(response: ServerResponse, reply: WireReply): Promise<void> {
  const type = (reply.status ?? 200) === 200 ? 'text/event-stream' : 'application/json';
  response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers });
  const whole = Buffer.from(reply.body.join(''));
  const limit = reply.cutAt ?? whole.length;
  let sent = 0;
  for (const part of reply.body) {
    const bytes = Buffer.from(part);
    const piece = bytes.subarray(0, Math.max(0, limit - sent));
    sent += piece.length;
    if (piece.length > 0)
      await new Promise<void>((resolve) => void response.write(piece, () => resolve()));
  }
  if (reply.ending === 'hang') return;
  // A broken connection must not overtake what was sent before it.
  if (reply.ending === 'destroy') setImmediate(() => void response.destroy());
  else response.end();
}
