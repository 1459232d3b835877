import { describeServer } from '@helix-agents/test-servers';
import { testClocksApart } from '@helix-agents/testing';
import { testPostgres } from './database.ts';
import { openWorld } from './worlds.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();

  testClocksApart({
    name: 'js over Postgres',
    create: () => openWorld(postgres.pool, { clock: 'server' }),
  });
});
