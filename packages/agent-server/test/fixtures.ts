import { createServer, type Server } from 'node:http';
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { openSqlite } from '@helix-agents/store-sqlite';
import { onTestFinished } from 'vitest';
import { AgentClient } from '../src/client.ts';
import { AgentServer, createNodeListener, type AgentServerConfig } from '../src/index.ts';
import { agents, scripted } from './agents.ts';

export const SECRET = 'a-secret-of-the-tests-with-32-bytes';

export interface Served {
  readonly server: AgentServer;
  readonly url: string;
  readonly client: AgentClient;
  readonly executor: JSAgentExecutor;
  readonly stores: ReturnType<typeof openSqlite>;
}

type Overrides = Partial<AgentServerConfig>;

/** Everything in memory, in this process. Open to everybody unless `authenticate` is given. */
export function createTestServer(overrides: Overrides = {}): Omit<Served, 'url' | 'client'> {
  const stores = openSqlite(':memory:', { pollMs: 5 });
  const executor = new JSAgentExecutor({
    ...stores,
    llmAdapter: scripted,
    agentRegistry: agents,
    limits: { pollMs: 10 },
  });
  const access = overrides.authenticate ? {} : { allowUnauthenticated: true };
  const server = quietly(
    () => new AgentServer({ agents, executor, ...stores, ...access, ...overrides }),
  );
  onTestFinished(async () => {
    await server.close({ graceMs: 100 });
    await executor.shutdown({ graceMs: 0 });
    stores.close();
  });
  return { server, executor, stores };
}

/** The same, over HTTP on loopback. */
export async function serve(overrides: Overrides = {}): Promise<Served> {
  const made = createTestServer(overrides);
  const url = await listen(createServer(createNodeListener(made.server)));
  return { ...made, url, client: new AgentClient({ baseUrl: url }) };
}

export async function listen(http: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  const address = http.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

/** Without the warning on the console that tests provoke on purpose elsewhere. */
function quietly<T>(make: () => T): T {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return make();
  } finally {
    console.warn = warn;
  }
}

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** As an operator, who may touch every session. */
  readonly client: AgentClient;
  readonly ended: Promise<string>;
}

/** Server processes over one database, each with a port of its own. Whoever starts them stops them. */
export async function startProcesses(
  count: number,
  database: string,
  options: { readonly leaseMs?: number } = {},
): Promise<{ readonly processes: readonly ServerProcess[]; readonly stop: () => Promise<void> }> {
  const processes = await Promise.all(
    Array.from({ length: count }, () => startProcess(database, options.leaseMs ?? 15_000)),
  );
  return {
    processes,
    async stop() {
      for (const { child } of processes) child.kill('SIGKILL');
      await Promise.all(processes.map((one) => one.ended));
    },
  };
}

async function startProcess(database: string, leaseMs: number): Promise<ServerProcess> {
  const script = fileURLToPath(new URL('children/serve.ts', import.meta.url));
  const args = ['--conditions=@helix-agents/source', script, database, SECRET, String(leaseMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  const ended = new Promise<string>((resolve) => {
    child.on('close', () => resolve(output));
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      output += String(data);
      const found = /port (\d+)\n/.exec(output)?.[1];
      if (found) resolve(found);
    });
    child.on('close', () => reject(new Error(`the server process ended: ${output}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    child,
    url,
    ended,
    client: new AgentClient({ baseUrl: url, token: `operator-${SECRET}` }),
  };
}

/** Asks until the session no longer runs. */
export async function settled(client: AgentClient, sessionId: string): Promise<string> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const { runStatus } = await client.status(sessionId);
    if (runStatus !== 'running') return runStatus;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`session ${sessionId} still runs`);
}
