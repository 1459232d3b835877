// The server. PORT and DATABASE may be set; without a DATABASE everything is gone when it stops.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { AgentServer, createNodeListener, createSessionTokens } from '@helix-agents/agent-server';
import { createHelix } from '@helix-agents/sdk';
import { archivist, model } from './agent.ts';

const { env } = process;
const helix = createHelix({ model, agents: [archivist], database: env['DATABASE'] ?? ':memory:' });
const tokens = createSessionTokens({
  secret: env['TOKEN_SECRET'] ?? randomBytes(32).toString('hex'),
});

const server = new AgentServer({
  agents: { archivist },
  executor: helix.executor,
  stateStore: helix.stores.stateStore,
  streamManager: helix.stores.streamManager,
  // Anybody may start a session, and gets a token for that one.
  sessionTokens: tokens,
  authenticate: tokens.authenticator(({ operation }) => operation === 'start'),
});

const http = createServer(createNodeListener(server));
http.listen(Number(env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = http.address();
  const port = typeof address === 'object' ? address?.port : address;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void close());

async function close(): Promise<void> {
  await server.close();
  http.close();
  http.closeIdleConnections();
  await helix.close();
}
