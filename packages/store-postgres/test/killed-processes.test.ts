import {
  testKillStorm,
  testSigkill,
  testTwoProcesses,
  type SharedStoreOptions,
} from '@helix-agents/test-processes';
import { describeServer } from '@helix-agents/test-servers';
import { testPostgres } from './database.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();
  const options: SharedStoreOptions = {
    name: 'postgres',
    create: async () => {
      await postgres.clear();
      const module = new URL('./stores.ts', import.meta.url).href;
      return { address: { module, args: [postgres.url] }, close: async () => {} };
    },
  };

  testSigkill(options);
  testTwoProcesses(options);
  testKillStorm(options);
});
