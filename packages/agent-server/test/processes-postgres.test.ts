import { createPostgresDatabase, describeServer } from '@helix-agents/test-servers';
import { testTwoServers } from './two-servers.ts';

describeServer('postgres', () => {
  testTwoServers('Postgres', async () => {
    const database = await createPostgresDatabase();
    return { database: database.url, close: () => database.drop() };
  });
});
