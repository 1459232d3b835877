import { once } from 'node:events';
import { createServer } from 'node:net';

export interface FreePortOptions {
  /** As far above it another port has to be free as well. */
  readonly above?: number;
  /** From 0 up to 1. */
  readonly chance?: () => number;
}

/** A loopback port that was free a moment ago. Below 32000: the system gives higher ones to clients. */
export async function freePort({
  above = 0,
  chance = Math.random,
}: FreePortOptions = {}): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(chance() * 12_000);
    if ((await isFree(port)) && (above === 0 || (await isFree(port + above)))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const bound = once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.listen(port, '127.0.0.1');
  if (!(await bound)) return false;
  server.close();
  await once(server, 'close');
  return true;
}
