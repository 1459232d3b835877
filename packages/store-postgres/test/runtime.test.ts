import { describeServer } from '@helix-agents/test-servers';
import { testRuntime } from '@helix-agents/testing';
import { testPostgres } from './database.ts';
import { openWorld } from './worlds.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();

  testRuntime({ name: 'js over Postgres', open: () => openWorld(postgres.pool) });
});
