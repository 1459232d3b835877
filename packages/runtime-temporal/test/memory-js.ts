import { JSAgentExecutor } from '@helix-agents/runtime-js';
import {
  createMemorySessionStore,
  InMemoryStreamManager,
  InMemoryUsageStore,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import type { RuntimeUnderTest } from '@helix-agents/testing';

/** Fresh stores in memory. */
export function memoryStores(): Omit<RuntimeUnderTest, 'newExecutor' | 'close'> {
  const database = new MemoryDatabase();
  const sessions = createMemorySessionStore(database);
  return {
    databases: { of: () => sessions },
    index: sessions,
    usage: new InMemoryUsageStore({ database }),
    streams: new InMemoryStreamManager({ database }),
  };
}

/** The runtime that histories are compared with. */
export async function memoryJs(): Promise<RuntimeUnderTest> {
  return {
    ...memoryStores(),
    newExecutor: ({ databases, wrapOperations, ...parts }) =>
      new JSAgentExecutor({ ...parts, seams: { databases, wrapOperations } }),
    close: async () => {},
  };
}
