import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { describeServer } from '@helix-agents/test-servers';
import { testClocksApart } from '@helix-agents/testing';
import { openPostgres } from '../src/index.ts';
import { testPostgres } from './database.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();

  testClocksApart({
    name: 'js over Postgres',
    create: async () => {
      await postgres.clear();
      const { close, ...stores } = openPostgres(postgres.pool);
      return { ...stores, close: async () => close() };
    },
    start: (parts) => new JSAgentExecutor(parts),
  });
});
