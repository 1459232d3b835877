import { describeServer } from '@helix-agents/test-servers';
import { testCrashes } from '@helix-agents/testing';
import { testPostgres } from './database.ts';
import { openWorld } from './worlds.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();

  testCrashes({
    name: 'runtime-js on Postgres',
    stride: 40,
    open: ({ now }) => openWorld(postgres.pool, { now }),
  });
});
