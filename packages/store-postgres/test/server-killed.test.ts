import { createPostgresDatabase, describeServer, startPostgres } from '@helix-agents/test-servers';
import { testServerKilled } from '@helix-agents/testing';
import { openPostgres } from '../src/index.ts';
import { newPool } from './new-pool.ts';

describeServer('postgres', () => {
  testServerKilled({
    name: 'postgres',
    async start() {
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
    },
  });
});
