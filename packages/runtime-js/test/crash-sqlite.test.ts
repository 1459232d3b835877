import { testCrashes } from '@helix-agents/testing';
import { openSqlite } from '@helix-agents/store-sqlite';
import { JSAgentExecutor } from '../src/index.ts';

testCrashes({
  name: 'runtime-js on SQLite',
  stride: 9,
  create: async ({ now }) => {
    const { close, ...stores } = openSqlite(':memory:', { now });
    return { ...stores, close: async () => close() };
  },
  start: (parts) => new JSAgentExecutor(parts),
});
