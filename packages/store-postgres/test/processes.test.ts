import { describeServer } from '@helix-agents/test-servers';
import { testStoreProcesses } from '@helix-agents/testing';
import { openPostgres } from '../src/index.ts';
import { testPostgres } from './database.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();

  testStoreProcesses({
    name: 'postgres',
    nodeArgs: ['--conditions=@helix-agents/source'],
    program: new URL('./children/store-process.ts', import.meta.url),
    create: async () => {
      await postgres.clear();
      const { close, ...stores } = openPostgres(postgres.pool, { listen: postgres.pool });
      return { ...stores, args: [postgres.url], close: async () => close() };
    },
  });
});
