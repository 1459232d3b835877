// An agent behind HTTP. PORT, DATABASE, TOKEN_SECRET and REVIEWER_KEY may be set; without them it runs for one afternoon.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { AgentServer, createNodeListener, createSessionTokens } from '@helix-agents/agent-server';
import { consoleLogger, createHelix } from '@helix-agents/sdk';
import { model, refundDesk } from './refund-desk.ts';

const { env } = process;
const helix = createHelix({
  model,
  agents: [refundDesk],
  database: env['DATABASE'] ?? ':memory:',
});

const tokens = createSessionTokens({
  secret: env['TOKEN_SECRET'] ?? randomBytes(32).toString('hex'),
});
const reviewerKey = env['REVIEWER_KEY'] ?? 'reviewer-key';

const server = new AgentServer({
  agents: { 'refund-desk': refundDesk },
  executor: helix.executor,
  stateStore: helix.stores.stateStore,
  streamManager: helix.stores.streamManager,
  serviceName: 'refunds',
  logger: consoleLogger,
  // Anybody may start a session and gets a token for that one; the reviewer may touch them all.
  sessionTokens: tokens,
  authenticate: tokens.authenticator(({ headers, operation }) => {
    if (headers['x-reviewer-key'] === reviewerKey)
      return { ok: true, principal: { id: 'grace', access: 'all' } };
    return operation === 'start' && headers['authorization'] === undefined;
  }),
});

const http = createServer(createNodeListener(server));
http.listen(Number(env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = http.address();
  const port = typeof address === 'object' ? address?.port : address;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void close());

/** No new requests, streams handed on, runs given back, the database last. */
async function close(): Promise<void> {
  await server.close();
  http.close();
  http.closeIdleConnections();
  await helix.close();
}
