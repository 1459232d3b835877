import { once } from 'node:events';
import { createServer } from 'node:net';

/** A loopback port that was free a moment ago. Below 55536: a Redis cluster node adds 10000 to it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const bound = once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.listen(port, '127.0.0.1');
    if (!(await bound)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
