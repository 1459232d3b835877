import { createServer, type Server } from 'node:http';
import { JSAgentExecutor, type JSAgentExecutorOptions } from '@helix-agents/runtime-js';
import { openSqlite } from '@helix-agents/store-sqlite';
import { onTestFinished } from 'vitest';
import { AgentClient } from '../src/client.ts';
import { AgentServer, createNodeListener, type AgentServerConfig } from '../src/index.ts';
import { agents, scripted } from './agents.ts';

export interface Served {
  readonly server: AgentServer;
  readonly url: string;
  readonly client: AgentClient;
  readonly executor: JSAgentExecutor;
  readonly stores: ReturnType<typeof openSqlite>;
}

type Overrides = Partial<AgentServerConfig>;

/** Everything in memory, in this process. Open to everybody unless `authenticate` is given. */
export function createTestServer(
  overrides: Overrides = {},
  ofExecutor: JSAgentExecutorOptions = {},
): Omit<Served, 'url' | 'client'> {
  const stores = openSqlite(':memory:', { pollMs: 5 });
  const executor = new JSAgentExecutor({
    ...stores,
    llmAdapter: scripted,
    agentRegistry: agents,
    limits: { pollMs: 10 },
    ...ofExecutor,
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

/** Asks until the session no longer runs. */
export async function settled(client: AgentClient, sessionId: string): Promise<string> {
  const until = Date.now() + 50_000;
  while (Date.now() < until) {
    const { runStatus } = await client.status(sessionId);
    if (runStatus !== 'running') return runStatus;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`session ${sessionId} still runs`);
}
