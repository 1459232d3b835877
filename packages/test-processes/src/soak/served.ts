import { setTimeout as wait } from 'node:timers/promises';
import { AgentClient } from '@helix-agents/agent-server/client';
import { freePort, startReplyProxy, type ReplyProxy } from '@helix-agents/test-servers';
import { startChild, type Child } from '../child.ts';
import { writeAddress, type StoreAddress } from '../store-address.ts';

const program = new URL('./server.ts', import.meta.url);
/** A person who waits longer for an answer asks again. */
const PATIENCE_MS = 3_000;

/** A server process that comes back after each kill, with a proxy before it and one between it and its database. */
export interface Served {
  readonly client: AgentClient;
  /** Between persons and the server; between the server and its database. */
  readonly connections: { readonly persons: ReplyProxy; readonly database: ReplyProxy };
  /** SIGKILL, and a new process at the same address. */
  kill(): Promise<void>;
  /** SIGSTOP, and SIGCONT after so long. */
  stopFor(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

export interface ServedOptions {
  /** Of the database, as the proxy reaches it. */
  readonly url: string;
  /** How a server opens the database at a URL. */
  readonly addressOf: (url: string) => StoreAddress;
  readonly ledger: string;
  readonly leaseMs: number;
  /** It ended though nobody killed it. */
  readonly onDeath: (why: string) => void;
}

export async function startServed(options: ServedOptions): Promise<Served> {
  const { url, addressOf, ledger, leaseMs, onDeath } = options;
  const port = await freePort();
  const persons = await startReplyProxy({ port });
  const database = await startReplyProxy({ port: Number(new URL(url).port) });
  const through = new URL(url);
  through.port = String(database.port);
  const args = [writeAddress(addressOf(through.href)), ledger, String(port), String(leaseMs)];
  const start = async (): Promise<Child> => {
    const child = startChild(program, args);
    void child.ended.then((how) => {
      if (how !== 'SIGKILL') onDeath(`a server ended by itself: ${how}`);
    });
    await child.line('ready');
    return child;
  };
  let child = await start();
  const end = async (): Promise<void> => {
    child.signal('SIGKILL');
    await child.ended;
  };
  return {
    client: new AgentClient({ baseUrl: `http://127.0.0.1:${persons.port}`, fetch: impatient }),
    connections: { persons, database },
    async kill() {
      await end();
      child = await start();
    },
    async stopFor(milliseconds) {
      child.signal('SIGSTOP');
      await wait(milliseconds);
      child.signal('SIGCONT');
    },
    async close() {
      await end();
      await Promise.all([persons.close(), database.close()]);
    },
  };
}

const impatient: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
