import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { createPostgresDatabase, describeServer, startPostgres } from '@helix-agents/test-servers';
import { testServerKilled, testServerRestarted, type MortalServer } from '@helix-agents/testing';
import { openPostgres } from '../src/index.ts';
import { newPool } from './new-pool.ts';

async function start(): Promise<MortalServer> {
  const server = await startPostgres({ fsync: true });
  const { url } = await createPostgresDatabase(server.url);
  const pool = newPool(url);
  return {
    ...openPostgres(pool),
    kill: () => server.kill(),
    restart: () => server.restart(),
    async close() {
      await pool.end();
      await server.stop();
    },
  };
}

describeServer('postgres', () => {
  testServerKilled({ name: 'postgres', start });
  testServerRestarted({
    name: 'postgres',
    start,
    executor: ({ stateStore, streamManager }, llmAdapter) =>
      new JSAgentExecutor({ stateStore, streamManager, llmAdapter, leaseMs: 2_000 }),
  });
});
