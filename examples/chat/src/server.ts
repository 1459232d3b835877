// One server process. It may be killed at any moment: everything it knows is in the database.
import { createHelix, openSqlite } from '@helix-agents/sdk';
import { createAgents } from './agents.ts';
import { createApi } from './api.ts';
import { createHttpServer } from './http-server.ts';
import { chooseModel } from './model.ts';
import { openTitles } from './titles.ts';

const [database = 'chat.db', pageFolder = 'dist', port = '0'] = process.argv.slice(2);
const model = chooseModel(process.env);
const agent = createAgents(model.llmConfig);
const stores = openSqlite(database, { pollMs: 25 });
const helix = createHelix({
  model: model.adapter,
  agents: [agent],
  database: stores,
  // Short, so that a killed server is missed for a moment only.
  leaseMs: 2_000,
  recoverEveryMs: 500,
  handleSignals: true,
});
const api = createApi(helix, stores.stateStore, agent, openTitles(`${database}-titles`), () => {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 30);
});
const server = createHttpServer(api, pageFolder);
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  const at = typeof address === 'object' ? address?.port : null;
  process.send?.({ port: at, model: model.description, scripted: !model.real });
});
process.on('disconnect', () => process.exit(0));
