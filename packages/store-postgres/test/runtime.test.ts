import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { describeServer } from '@helix-agents/test-servers';
import { testRuntime } from '@helix-agents/testing';
import { openPostgres } from '../src/index.ts';
import { testPostgres } from './database.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();

  testRuntime({
    name: 'js over Postgres',
    create: async () => {
      await postgres.clear();
      const { stateStore, streamManager, usageStore, close } = openPostgres(postgres.pool, {
        clock: 'caller',
        pollMs: 5,
      });
      return {
        databases: { of: () => stateStore.sessions },
        index: stateStore.index,
        streams: streamManager,
        usage: usageStore,
        newExecutor: ({ databases, wrapOperations, ...parts }) =>
          new JSAgentExecutor({ ...parts, seams: { databases, wrapOperations } }),
        close: async () => close(),
      };
    },
  });
});
