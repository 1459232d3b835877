// A server as a process of its own, over an SQLite file or a Postgres database. Says its port, then serves until SIGTERM.
import { createServer } from 'node:http';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { openPostgres } from '@helix-agents/store-postgres';
import { openSqlite } from '@helix-agents/store-sqlite';
import pg from 'pg';
import { AgentServer, createNodeListener, createSessionTokens } from '../../src/index.ts';
import { agents, scripted } from '../agents.ts';
import { standInChat } from '../chat-stand-in.ts';

const [database = '', secret = '', leaseMs = '15000'] = process.argv.slice(2);
const stores = database.startsWith('postgres') ? overPostgres() : overSqlite();
const executor = new JSAgentExecutor({
  ...stores,
  llmAdapter: scripted,
  agentRegistry: agents,
  leaseMs: Number(leaseMs),
  limits: { pollMs: 20 },
});
const tokens = createSessionTokens({ secret });
const server = new AgentServer({
  agents,
  executor,
  ...stores,
  sessionTokens: tokens,
  authenticate: tokens.authenticator((request) => {
    const { authorization } = request.headers;
    if (authorization === `Bearer operator-${secret}`)
      return { ok: true, principal: { id: 'operator', access: 'all' } };
    return request.operation === 'start' && authorization === undefined;
  }),
  rateLimit: { submitsPerMinute: 100, startsPerMinute: 100_000 },
  sse: { heartbeatMs: 100 },
  ...standInChat,
});
const http = createServer(createNodeListener(server));
http.listen(0, '127.0.0.1', () => {
  const address = http.address();
  process.stdout.write(`port ${typeof address === 'object' ? address?.port : ''}\n`);
});

// Asked over the channel, where there is one: what it takes once nothing is left to collect.
process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
process.channel?.unref();
process.on('SIGTERM', () => void shutDown());

async function shutDown(): Promise<void> {
  await server.close();
  http.close();
  http.closeAllConnections();
  await executor.shutdown({ graceMs: 100 });
  await stores.close();
  process.stdout.write('closed\n');
}

function overSqlite() {
  return openSqlite(database, { synchronous: 'normal', pollMs: 10 });
}

function overPostgres() {
  const pool = new pg.Pool({ connectionString: database, max: 4 });
  pool.on('error', () => undefined);
  const { close, ...stores } = openPostgres(pool, { listen: pool });
  return {
    ...stores,
    async close() {
      close();
      await pool.end();
    },
  };
}
