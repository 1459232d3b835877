import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { describeServer } from '@helix-agents/test-servers';
import { testCrashes } from '@helix-agents/testing';
import { openPostgres } from '../src/index.ts';
import { testPostgres } from './database.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();

  testCrashes({
    name: 'runtime-js on Postgres',
    stride: 40,
    create: async ({ now }) => {
      await postgres.clear();
      const { close, ...stores } = openPostgres(postgres.pool, {
        clock: 'caller',
        now,
      });
      return { ...stores, close: async () => close() };
    },
    start: (parts) => new JSAgentExecutor(parts),
  });
});
